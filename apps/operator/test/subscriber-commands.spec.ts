import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { subscriberTools } from '#contracts';
import { startServices, typist } from './typist.js';

describe('the operator, about one subscriber', () => {
  let services: Awaited<ReturnType<typeof startServices>>;
  let type: ReturnType<typeof typist>;
  let bus: Bus;
  let org: string;
  beforeAll(async () => {
    services = await startServices(['domain', 'subscriber']);
    type = typist(services.config);
    const { NATS_URL: url, NATS_NAMESPACE: namespace } = services.config;
    bus = await connectBus({ url, namespace, name: 'spec' });
    org = (await type('org', 'create', 'Bans')).last;
  });
  afterAll(async () => {
    await bus.close();
    await services.stop();
  });

  const add = (email: string) => bus.client(subscriberTools).add_subscriber({ email }, serviceCaller(org, 'spec'));

  it('bans an address, whoever adds it again, and lifts the ban', async () => {
    await add('ada@example.com');
    const ban = await type('subscriber', 'ban', 'ADA@example.com', '--org', org);
    expect(ban).toMatchObject({ status: 0, said: ['ADA@example.com is BANNED.'] });
    expect(await add('ada@example.com')).toMatchObject({
      ...{ subscriber: { status: 'BANNED' }, warnings: [expect.stringContaining('only the operator lifts a ban')] },
    });
    const unban = await type('subscriber', 'unban', 'ada@example.com', '--org', org);
    expect(unban).toMatchObject({ status: 0, said: ['ada@example.com is SUBSCRIBED.'] });
  });

  it('bans an address that is not there yet', async () => {
    const ban = await type('subscriber', 'ban', 'eve@example.com', '--org', org);
    expect(ban.said).toEqual(['eve@example.com is no subscriber; it is BANNED when it comes.']);
    expect(await add('eve@example.com')).toMatchObject({ subscriber: { status: 'BANNED' } });
  });

  it('says what is wrong: no address, no such organization, a word too few', async () => {
    const wrong = await type('subscriber', 'ban', 'nonsense', '--org', org);
    expect(wrong).toMatchObject({ status: 1, noted: [expect.stringContaining('address')] });
    expect((await type('subscriber', 'ban', 'ada@example.com', '--org', 'org_none')).status).toBe(1);
    expect((await type('subscriber', 'ban')).status).toBe(2);
  });
});
