import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageRequests } from '#contracts';
import { newId } from '#database';
import { SmtpSink, until } from '#testing';
import { RemoteFailure } from '#tool-call';
import { SendFixture } from '../send-fixture.js';
import type { Sending } from '../send-fixture.js';

describe('queue_test', () => {
  let world: SendFixture;
  let sink: SmtpSink;
  let tenant: Sending;
  beforeAll(async () => {
    world = await SendFixture.start();
    sink = await SmtpSink.start();
    tenant = await world.organization();
    world.engine(sink.url);
  });
  afterAll(async () => {
    await world.stop();
    await sink.stop();
  });

  const queue = async (sourceKey: string, email: string) => {
    const mail = { subject: '[Test] Spring', html: '<p>Hello</p>', text: 'Hello', replyTo: 'desk@shop.example' };
    const delivery = world.tidings.client(messageRequests);
    const asked = { sourceKey, email, senderId: null, ...mail };
    return (await delivery.queue_test(asked, world.tidings.caller(tenant))).messageId;
  };

  it('delivers a test once, to its address, and reports it without a campaign or subscriber', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => queue('test:1', 'ada@real.internal')));
    expect(new Set(ids).size).toBe(1);
    await until('it is there', () => sink.messages.length === 1);
    expect(sink.messages[0]!.to).toBe('ada@real.internal');
    expect(sink.messages[0]!.raw).toMatch(/^Reply-To: .*desk@shop\.example/m);
    const about = async () =>
      (await world.tidings.deliverEvents()).filter(
        ({ data }) => (data as { messageId?: string }).messageId === ids[0],
      )[0];
    let event: Awaited<ReturnType<typeof about>>;
    await until('it is told', async () => (event = await about()) !== undefined);
    expect(event!.data).toMatchObject({ campaignId: null, subscriberId: null });
  });

  it('is refused when the mailbox had its five messages, counted once each; a test address never is', async () => {
    for (let n = 0; n < 5; n++) await queue(`guard:${n}`, 'bob@real.internal');
    await until('five are there', () => sink.messages.filter(({ to }) => to === 'bob@real.internal').length === 5);
    const refused = await queue('guard:5', 'bob@real.internal').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RemoteFailure);
    const { reason, retryAt, retryAfter } = (refused as RemoteFailure).failure;
    expect(reason).toBe('RECIPIENT_GUARD_REACHED');
    // The first of the five leaves the window of ten minutes then.
    expect(Date.parse(retryAt!)).toBeLessThanOrEqual(Date.now() + 600_000);
    expect(retryAfter).toBeGreaterThan(400);
    expect(retryAfter).toBeLessThanOrEqual(600);
    // A repeated call for an accepted message returns it again, although the guard would refuse now.
    expect(await queue('guard:0', 'bob@real.internal')).toMatch(/^msg_/);
    for (let n = 0; n < 6; n++) expect(await queue(newId('msg'), 'eve@example.com')).toMatch(/^msg_/);
  });
});
