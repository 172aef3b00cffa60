import { describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { hashApiToken } from '#tool-call';
import { openPeople } from '../people-fixture.js';
import { dayMs, inDays, makeToken } from '../tokens.js';

describe('create_api_token', () => {
  const people = openPeople();
  const authenticate = async (secret: string) => {
    const caller = people.harness.caller({ organizationId: '' });
    const asked = { tokenHash: hashApiToken(secret) };
    return (await people.harness.client(domainRequests).authenticate_token(asked, caller)).token;
  };

  it('makes a token of the organization for 90 days, whose secret is stored nowhere', async () => {
    const { token, secret } = await makeToken(people, people.owner, { toolsets: ['tags', 'core'] });
    expect(token).toMatchObject({
      kind: 'ORGANIZATION',
      createdBy: { id: people.owner.id },
      toolsets: ['tags', 'core'],
    });
    expect(Math.abs(Date.parse(token.expiresAt!) - Date.now() - 90 * dayMs)).toBeLessThan(60_000);
    expect(await authenticate(secret)).toMatchObject({ ...people.ours, scopes: ['read'], toolsets: ['tags', 'core'] });
    const rows = await people.harness
      .dataSource('domain')
      .query<{ t: string }[]>(`select t::text from api_token t union all select e::text from executed_call e`);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('is made by members only: users of another organization get ROLE_TOO_LOW', async () => {
    const outcome = await people.as(people.stranger, 'create_api_token', { name: 'X', scopes: ['read'] });
    expect(outcome).toMatchObject({ error: { reason: 'ROLE_TOO_LOW' } });
  });

  it.each([
    ['admin', 'ORGANIZATION', ['admin'], 'SCOPE_TOO_HIGH'],
    ['owner', 'ORGANIZATION', ['approve'], 'SCOPE_TOO_HIGH'],
    ['viewer', 'PERSONAL', ['write'], 'SCOPE_TOO_HIGH'],
    ['viewer', 'PERSONAL', ['send'], 'SCOPE_TOO_HIGH'],
    ['editor', 'ORGANIZATION', ['read'], 'ROLE_TOO_LOW'],
  ] as const)('never gives more than its maker has: %s, %s %j is %s', async (role, kind, scopes, reason) => {
    const maker = await people.member(role);
    expect(await people.refusal(maker, 'create_api_token', { name: 'X', kind, scopes })).toBe(reason);
  });

  it('is made by users only: USER_REQUIRED', async () => {
    const token = {
      ...people.owner,
      caller: { actor: { kind: 'TOKEN' as const, id: 'tok_x' }, scopes: ['admin'] as const },
    };
    expect(await people.refusal(token, 'create_api_token', { name: 'X', scopes: ['read'] })).toBe('USER_REQUIRED');
  });

  it('is made by the operator’s command without a maker, and never as PERSONAL: USER_REQUIRED', async () => {
    const operator = {
      ...people.owner,
      caller: { actor: { kind: 'OPERATOR' as const, id: 'operator' }, scopes: ['admin'] as const },
    };
    const { token } = await makeToken(people, operator);
    expect(token).toMatchObject({ kind: 'ORGANIZATION', createdBy: null });
    const personal = { name: 'X', kind: 'PERSONAL', scopes: ['read'] };
    expect(await people.refusal(operator, 'create_api_token', personal)).toBe('USER_REQUIRED');
  });

  it('holds the longest life that the organization allows, for given ends (PARAMETERS_INVALID) and for the default', async () => {
    await people.data(people.owner, 'update_organization', { tokenDaysMax: 30 });
    for (const expiresAt of [null, inDays(31), inDays(-1)]) {
      const asked = { name: 'X', scopes: ['read'], expiresAt };
      expect(await people.refusal(people.owner, 'create_api_token', asked)).toBe('PARAMETERS_INVALID');
    }
    // Without milliseconds, as most programs write an instant.
    const second = inDays(5).slice(0, 19);
    const short = await makeToken(people, people.owner, { expiresAt: `${second}Z` });
    expect(short.token.expiresAt).toBe(`${second}.000Z`);
    const { token } = await makeToken(people, people.owner);
    expect(Date.parse(token.expiresAt!) - Date.now()).toBeLessThanOrEqual(30 * dayMs);
    await people.data(people.owner, 'update_organization', { tokenDaysMax: null });
    expect((await makeToken(people, people.owner, { expiresAt: null })).token.expiresAt).toBeNull();
  });

  it('gives a PERSONAL token the rights of its member now, which asks where their role does, and ends with the membership', async () => {
    const member = await people.member('approver');
    const { secret } = await makeToken(people, member, { kind: 'PERSONAL', scopes: ['read', 'write', 'send'] });
    const facts = await authenticate(secret);
    expect(facts).toMatchObject({ scopes: ['read', 'write', 'send'], userId: member.id });
    expect(facts?.asks).toBeUndefined();
    const change = (role: string) => people.data(people.owner, 'update_member_role', { userId: member.id, role });
    await change('editor');
    expect(await authenticate(secret)).toMatchObject({ scopes: ['read', 'write', 'send'], asks: true });
    await change('viewer');
    expect(await authenticate(secret)).toMatchObject({ scopes: ['read'] });
    expect(await people.data(people.owner, 'remove_member', { userId: member.id })).toEqual({
      removed: true,
      tokens: 1,
    });
    expect(await authenticate(secret)).toBeNull();
  });

  it('stops at 20 PERSONAL tokens of a member: TOKENS_TOO_MANY', async () => {
    const member = await people.member('viewer');
    for (let n = 0; n < 20; n++) await makeToken(people, member, { kind: 'PERSONAL' });
    const one = { name: 'One more', kind: 'PERSONAL', scopes: ['read'] };
    expect(await people.refusal(member, 'create_api_token', one)).toBe('TOKENS_TOO_MANY');
  });
});
