import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness.js';

describe('organizations', () => {
  let tidings: Harness;
  const operator = () => tidings.caller({ organizationId: '' }, { source: 'operator' });
  const as = (organizationId: string) => tidings.caller({ organizationId });
  const requests = () => tidings.client(domainRequests);
  const create = async (name: string) => (await requests().create_organization({ name }, operator())).organization;
  beforeAll(async () => {
    tidings = await Harness.start();
  });
  afterAll(() => tidings.stop());

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

  it('have a signing key for their sandbox domain, which nobody else is given', async () => {
    const [ours, theirs] = [await create('Ours'), await create('Theirs')];
    const domain = `org${ours.number}.tidings.internal`;
    const { key } = await requests().get_signing_key({ domain: domain.toUpperCase() }, as(ours.id));
    expect(key).toMatchObject({ domain, selector: expect.stringMatching(/^td/) });
    expect(createPrivateKey(key!.privateKeyPem).asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(await requests().get_signing_key({ domain }, as(theirs.id))).toEqual({ key: null });
    const rows: { stored: string }[] = await tidings
      .dataSource('domain')
      .query(`select string_agg(encode(private_key_sealed, 'escape'), '') as stored from dkim_key`);
    expect(rows[0]!.stored).not.toContain('PRIVATE KEY');
  });

  it('can be changed in every setting, and gateways hear of it once it holds', async () => {
    const { id } = await create('Plain');
    const heard: unknown[] = [];
    tidings.bus.onBroadcast('organization.changed', (message) => heard.push(message));
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
    expect(await set({ ratePerMinute: null, address: null })).toMatchObject({ ratePerMinute: 100, address: null });
    expect(heard).toEqual(Array.from({ length: 3 }, () => ({ organizationId: id })));
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
