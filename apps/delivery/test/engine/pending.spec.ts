import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { domainRequests, subscriberLifeRequests } from '#contracts';
import { SmtpSink } from '#testing';
import { SendWorld } from '../send-world.js';

jest.setTimeout(120_000);

describe('people who have not confirmed', () => {
  let world: SendWorld;
  let sink: SmtpSink;
  beforeAll(async () => {
    world = await SendWorld.start();
    sink = await SmtpSink.start();
  });
  afterAll(async () => {
    await world.stop();
    await sink.stop();
  });

  it('story 15: are in no audience, and are skipped by name when they were in one before', async () => {
    const shop = await world.organization();
    const { tidings } = world;
    const nobody = tidings.caller({ organizationId: '' });
    const add = async (name: string, change: object = {}) =>
      (
        await tidings.data<{ subscriber: { id: string } }>(
          ...(['add_subscriber', { email: `${name}@real.internal`, ...change }, shop] as const),
        )
      ).subscriber.id;
    await tidings
      .client(domainRequests)
      .set_organization({ organizationId: shop.organizationId, doubleOptIn: true }, nobody);
    await add('pending');
    const confirmed = await add('confirmed');
    await tidings
      .client(subscriberLifeRequests)
      .confirm_subscription(
        { subscriberId: confirmed, linkMadeAt: new Date().toISOString(), ip: null, userAgent: null },
        tidings.caller(shop),
      );
    await add('doubtful', { skipDoubleOptIn: true });
    const audience = await world.audience(shop, []);
    expect(audience).toMatchObject({ total: 2, excluded: { PENDING_CONFIRMATION: 1 } });
    await tidings
      .dataSource('subscriber')
      .query(`update subscriber set status = 'PENDING_CONFIRMATION' where email = 'doubtful@real.internal'`);
    const send = await world.send(shop, audience);
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ sent: 1, skipped: { PENDING_CONFIRMATION: 1 } });
    expect(sink.messages.map(({ to }) => to)).toEqual(['confirmed@real.internal']);
  });
});
