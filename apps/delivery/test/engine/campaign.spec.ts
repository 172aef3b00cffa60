import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SmtpSink } from '#testing';
import { people, SendWorld } from '../send-world.js';

describe('a campaign', () => {
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

  it('reaches 1,200 people on three pages once each; test addresses only in the books', async () => {
    const shop = await world.organization();
    const fixtures = people(100, 'example.com');
    const audience = await world.audience(shop, [...people(1100), ...fixtures]);
    expect(audience).toMatchObject({ total: 1200, pages: 3 });
    const send = await world.send(shop, audience);
    world.engine(sink.url);
    const progress = await world.finished(send);
    expect(progress).toMatchObject({ state: 'DONE', total: 1200, sent: 1200, delivered: 1200, pending: 0 });
    expect(progress).toMatchObject({ failed: 0, skipped: {}, inDoubt: 0, deferred: 0 });
    expect(sink.counts.size).toBe(1100);
    expect([...sink.counts.values()].every((n) => n === 1)).toBe(true);
    expect([...sink.counts.keys()].some((email) => email.endsWith('example.com'))).toBe(false);
    await world.stopEngines();
  });
});
