import { beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { hashApiToken } from '#tool-call';
import { TokenRepository } from '../../src/token/token.repository.js';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('API tokens', () => {
  const harness = useFixture(() => Harness.start());
  let organizationId: string;
  const operator = () => harness.caller({ organizationId: '' }, { source: 'operator' });
  const requests = () => harness.client(domainRequests);
  const create = (more: object = {}) => requests().create_token({ organizationId, name: 'CI', ...more }, operator());
  const authenticate = async (secret: string) =>
    (await requests().authenticate_token({ tokenHash: hashApiToken(secret) }, operator())).token;
  const refusedWith = (reason: string) => expect.objectContaining({ failure: expect.objectContaining({ reason }) });
  beforeAll(async () => {
    organizationId = (await requests().create_organization({ name: 'Ours' }, operator())).organization.id;
  });

  it('authenticate their organization with plan and limit, and are stored as a hash only', async () => {
    const { token, secret } = await create({ scopes: ['read'], selfConfirm: false });
    expect(await authenticate(secret)).toEqual({
      tokenId: token.id,
      organizationId,
      scopes: ['read'],
      selfConfirm: false,
      expiresAt: null,
      plan: 'ENTERPRISE',
      ratePerMinute: 2000,
      quotas: { contacts: null, mailsPerMonth: null, domains: null },
      cell: null,
    });
    const rows: { stored: string }[] = await harness
      .dataSource('domain')
      .query(`select string_agg(t::text, '') as stored from api_token t`);
    expect(rows[0]!.stored).not.toContain(secret.slice(4, 36));
  });

  it('may do everything, for ever, unless something else is said', async () => {
    const { token, secret } = await create();
    expect(token).toMatchObject({ name: 'CI', scopes: ['read', 'write', 'send'], selfConfirm: true, expiresAt: null });
    expect(token.lastFour).toBe(secret.slice(-4));
  });

  it('are nothing when unknown, expired or revoked', async () => {
    expect(await authenticate('tdg_nobody')).toBeNull();
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const expired = await create({ expiresAt: at(-1000) });
    const expiring = await create({ expiresAt: at(3_600_000) });
    expect(await authenticate(expired.secret)).toBeNull();
    expect(await authenticate(expiring.secret)).not.toBeNull();
    await requests().revoke_token({ tokenId: expiring.token.id }, operator());
    expect(await authenticate(expiring.secret)).toBeNull();
  });

  it('are revoked once, and gateways hear of it when asking again finds them revoked', async () => {
    const { token, secret } = await create();
    const atBroadcast: Promise<unknown>[] = [];
    harness.bus.onBroadcast<{ tokenHash: string }>('token.changed', ({ tokenHash }) => {
      expect(tokenHash).toBe(hashApiToken(secret));
      atBroadcast.push(authenticate(secret));
    });
    const first = await requests().revoke_token({ tokenId: token.id }, operator());
    expect(first.token.revokedAt).not.toBeNull();
    expect(await requests().revoke_token({ tokenId: token.id }, operator())).toEqual(first);
    expect(await Promise.all(atBroadcast)).toEqual([null, null]);
  });

  it('are listed newest first, without their secrets', async () => {
    const { organization } = await requests().create_organization({ name: 'Lists' }, operator());
    const made = [];
    for (const name of ['a', 'b']) made.push(await create({ organizationId: organization.id, name }));
    const { tokens } = await requests().list_tokens({ organizationId: organization.id }, operator());
    expect(tokens).toEqual([made[1]!.token, made[0]!.token]);
    expect(JSON.stringify(tokens)).not.toContain(made[0]!.secret);
  });

  it('note their last use at most once a minute', async () => {
    const { token } = await create();
    const tokens = new TokenRepository(harness.dataSource('domain').manager);
    const lastUsed = async () => (await tokens.list(organizationId)).find(({ id }) => id === token.id)!.lastUsedAt;
    await tokens.updateLastUsed([token.id, newId('tok')]);
    const first = await lastUsed();
    expect(Date.now() - Date.parse(first!)).toBeLessThan(10_000);
    await tokens.updateLastUsed([token.id]);
    expect(await lastUsed()).toBe(first);
    await harness.dataSource('domain').query(`update api_token set last_used_at = last_used_at - interval '2 minutes'`);
    await tokens.updateLastUsed([token.id]);
    expect((await lastUsed())! >= first!).toBe(true);
  });

  it('of an unknown organization or id are refused', async () => {
    await expect(create({ organizationId: newId('org') })).rejects.toEqual(refusedWith('ORGANIZATION_NOT_FOUND'));
    await expect(requests().list_tokens({ organizationId: 'org_x' }, operator())).rejects.toEqual(
      refusedWith('ORGANIZATION_NOT_FOUND'),
    );
    await expect(requests().revoke_token({ tokenId: newId('tok') }, operator())).rejects.toEqual(
      refusedWith('TOKEN_NOT_FOUND'),
    );
  });
});
