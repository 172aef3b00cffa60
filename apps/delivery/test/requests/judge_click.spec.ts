import { describe, expect, it, jest } from '@jest/globals';
import { trackingRequests } from '#contracts';
import { newId, wireId } from '#database';
import { intoLayout, layouts } from '../../../../test/harness/message-layouts.js';
import { SendFixture, people } from '../send-fixture.js';

jest.setTimeout(60_000);

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe.each(layouts)('judge_click, %s', (layout) => {
  const world = SendFixture.ofSuite();

  it('separates people from scanners by delay and user agent, with the rules for hits', async () => {
    const relay = await world.relay();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(1)));
    world.engine(relay.url);
    await world.finished(send);
    await intoLayout(world.database, layout, send.sendId);
    const [row] = await world.database.query<[{ message_id: string; month: string; accepted_at: Date }]>(
      `select message_id, to_char(period, 'YYYY-MM') as month, accepted_at from any_message`,
    );
    const messageId = wireId('msg', row.message_id);
    const judge = async (afterMs: number, userAgent: string | null, change: object = {}, from = tenant) => {
      const at = new Date(row.accepted_at.getTime() + afterMs).toISOString();
      const click = { messageId, period: row.month, at, userAgent, ...change };
      const { tidings: harness } = world;
      return (await harness.client(trackingRequests).judge_click(click, harness.caller(from))).machine;
    };
    expect(await judge(1_999, firefox)).toBe(true);
    expect(await judge(2_000, firefox)).toBe(false);
    expect(await judge(60_000, 'curl/8.5.0')).toBe(true);
    // A hit of a missing message, or without one, is classified by its user agent alone.
    expect(await judge(0, firefox, { messageId: newId('msg') })).toBe(false);
    expect(await judge(0, firefox, { messageId: null })).toBe(false);
    expect(await judge(0, null, { messageId: null })).toBe(true);
    expect(await judge(0, firefox, { period: '2001-99' })).toBe(false);
    expect(await judge(0, firefox, {}, await world.organization())).toBe(false);
  });
});
