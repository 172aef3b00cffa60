import { createPrivateKey } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { hashApiToken } from '#tool-call';
import { Harness } from '../../../../test/harness/harness.js';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { checkMasterKey } from '../../src/dkim-key/master-key-check.job.js';
import { KeyWrap } from '../../src/dkim-key/dkim-key.js';
import { PlanRepository } from '../../src/organization/plan.repository.js';
import { DkimKeyRepository } from '../../src/dkim-key/dkim-key.repository.js';

describe('organizations', () => {
  const harness = useFixture(() => Harness.start());
  const operator = () => harness.caller({ organizationId: '' }, { source: 'operator' });
  const as = (organizationId: string) => harness.caller({ organizationId });
  const requests = () => harness.client(domainRequests);
  const create = async (name: string) => (await requests().create_organization({ name }, operator())).organization;

  it('start with the defaults and the next number, and are listed in that order', async () => {
    const first = await create('First');
    const second = await create('Second');
    expect(first).toMatchObject({
      name: 'First',
      plan: 'ENTERPRISE',
      ratePerMinute: 2000,
      timezone: 'Europe/Paris',
      currency: 'USD',
      doubleOptIn: false,
      address: null,
    });
    expect(second.number).toBeGreaterThan(first.number);
    const { organizations } = await requests().list_organizations({}, operator());
    expect(organizations.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect((await requests().get_organization({}, as(first.id))).organization).toEqual(first);
  });

  it('have a signing key for their sandbox domain, which no other organization gets', async () => {
    const [tenant, otherTenant] = [await create('Ours'), await create('Theirs')];
    const domain = `org${tenant.number}.tidings.internal`;
    const { key } = await requests().get_signing_key({ domain: domain.toUpperCase() }, as(tenant.id));
    expect(key).toMatchObject({ domain, selector: expect.stringMatching(/^td/) });
    expect(createPrivateKey(key!.privateKeyPem).asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(await requests().get_signing_key({ domain }, as(otherTenant.id))).toEqual({ key: null });
    const rows: { stored: string }[] = await harness
      .dataSource('domain')
      .query(`select string_agg(encode(private_key_sealed, 'escape'), '') as stored from dkim_key`);
    expect(rows[0]!.stored).not.toContain('PRIVATE KEY');
  });

  it('that came with another master key are reported, since their keys cannot be opened', async () => {
    await create('Sealed');
    const reportedWith = async (masterKey: string) => {
      const error = jest.fn();
      const keys = new DkimKeyRepository(harness.dataSource('domain'), new KeyWrap(masterKey));
      await checkMasterKey(keys, { error });
      return error.mock.calls;
    };
    expect(await reportedWith(environmentFor('').MASTER_KEY!)).toEqual([]);
    expect(await reportedWith('ab'.repeat(32))).toEqual([
      [{ keys: expect.any(Number) }, expect.stringContaining('DKIM keys are sealed under another MASTER_KEY')],
    ]);
  });

  it('can be changed in every setting, and gateways hear of it once it holds', async () => {
    const { id } = await create('Plain');
    const heard: unknown[] = [];
    harness.bus.onBroadcast('organization.changed', (message) => heard.push(message));
    const set = async (change: object) =>
      (await requests().set_organization({ organizationId: id, ...change }, operator())).organization;
    expect(
      await set({ plan: 'free', doubleOptIn: true, currency: 'EUR', address: '1 Rue X', name: 'New' }),
    ).toMatchObject({
      plan: 'FREE',
      doubleOptIn: true,
      currency: 'EUR',
      address: '1 Rue X',
      name: 'New',
      ratePerMinute: 100,
    });
    expect(await set({ ratePerMinute: 50_000, timezone: 'utc' })).toMatchObject({
      ratePerMinute: 50_000,
      timezone: 'UTC',
    });
    expect(await set({ trackOpens: false })).toMatchObject({ tracking: { opens: false, clicks: true } });
    expect(await set({ ratePerMinute: null, address: null })).toMatchObject({ ratePerMinute: 100, address: null });
    expect(heard).toEqual(Array.from({ length: 4 }, () => ({ organizationId: id })));
  });

  it('have the quotas of their plan except their own; a change is broadcast, and tokens carry them', async () => {
    const [one, two] = [await create('One'), await create('Two')];
    await requests().set_organization({ organizationId: one.id, plan: 'PREMIUM' }, operator());
    await requests().set_organization({ organizationId: two.id, plan: 'PREMIUM' }, operator());
    const heard: unknown[] = [];
    harness.bus.onBroadcast('organization.changed', (message) => heard.push(message));
    const setLimits = async (quotas: object) =>
      (await requests().set_organization({ organizationId: one.id, quotas }, operator())).organization.quotas;
    const none = { contacts: null, mailsPerMonth: null, domains: null };
    expect(one.quotas).toEqual(none);
    const plans = new PlanRepository(harness.dataSource('domain').manager);
    await plans.update('PREMIUM', { contacts: 10, domains: 2 });
    const changed = { contacts: 50, mailsPerMonth: 1000, domains: 2 };
    expect(await setLimits({ contacts: 50, mailsPerMonth: 1000 })).toEqual(changed);
    expect(heard).toEqual([{ organizationId: one.id }]);
    const { secret } = await requests().create_token({ organizationId: one.id, name: 'T' }, operator());
    const { token } = await requests().authenticate_token({ tokenHash: hashApiToken(secret) }, operator());
    expect(token).toMatchObject({ plan: 'PREMIUM', quotas: { contacts: 50, mailsPerMonth: 1000, domains: 2 } });
    expect((await requests().get_organization({}, as(two.id))).organization.quotas).toMatchObject({ contacts: 10 });
    expect(await setLimits({ contacts: null })).toEqual({ contacts: 10, mailsPerMonth: 1000, domains: 2 });
  });

  it('that do not exist are refused with ORGANIZATION_NOT_FOUND, and unknown zones with TIMEZONE_UNKNOWN', async () => {
    const refusedWith = (reason: string) => expect.objectContaining({ failure: expect.objectContaining({ reason }) });
    for (const organizationId of [newId('org'), 'nonsense', newId('sub')]) {
      await expect(requests().set_organization({ organizationId, plan: 'FREE' }, operator())).rejects.toEqual(
        refusedWith('ORGANIZATION_NOT_FOUND'),
      );
      await expect(requests().get_organization({}, as(organizationId))).rejects.toEqual(
        refusedWith('ORGANIZATION_NOT_FOUND'),
      );
    }
    const { id } = await create('Zoned');
    await expect(
      requests().set_organization({ organizationId: id, timezone: 'Mars/Base' }, operator()),
    ).rejects.toEqual(refusedWith('TIMEZONE_UNKNOWN'));
  });
});
