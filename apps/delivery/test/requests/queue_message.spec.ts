import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageRequests, feedbackRequests } from '#contracts';
import { newId, uuidOf } from '#database';
import { SmtpSink, until } from '#testing';
import { SendFixture } from '../send-fixture.js';
import type { Sending } from '../send-fixture.js';

describe('queue_message', () => {
  let world: SendFixture;
  let sink: SmtpSink;
  let tenant: Sending;
  const mail = {
    subject: 'Please confirm',
    html: '<p>Hello <a href="https://shop.example/s/1">here</a></p>',
    text: 'Hello',
  };
  const queue = async (sourceKey: string, email: string, subscriberId = newId('sub')) => {
    const delivery = world.tidings.client(messageRequests);
    return (await delivery.queue_message({ sourceKey, subscriberId, email, ...mail }, world.tidings.caller(tenant)))
      .messageId;
  };
  const stateOf = async (messageId: string) => {
    const rows: { state: string; attempts: number }[] = await world.database.query(
      `select state, attempts from message where message_id = $1`,
      [uuidOf('msg', messageId)],
    );
    return rows[0]!;
  };
  const settled = (messageId: string, state: string) =>
    until(`the message is ${state}`, async () => (await stateOf(messageId)).state === state);
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

  it('hands the message over once, signed and from the default sender, however often its source asks', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => queue('confirmation:1', 'ada@real.internal')));
    expect(new Set(ids).size).toBe(1);
    await settled(ids[0]!, 'DELIVERED');
    expect(await queue('confirmation:1', 'ada@real.internal')).toBe(ids[0]);
    expect(await queue('confirmation:2', 'bob@real.internal')).not.toBe(ids[0]);
    await until('both are there', () => sink.messages.length === 2);
    const [first] = sink.messages;
    expect(first).toMatchObject({ to: 'ada@real.internal', from: expect.stringMatching(/^b\./) });
    expect(first!.raw).toMatch(/^DKIM-Signature:/m);
    expect(first!.raw).toMatch(/^Subject: Please confirm\r$/m);
    expect(first!.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(first!.raw).not.toMatch(/^List-Unsubscribe/m);
  });

  it('retries a message that the relay defers, and reports its outcome without a campaign', async () => {
    sink.behave = (to, nth) =>
      to === 'later@real.internal' && nth === 1
        ? { do: 'refuse', at: 'RCPT', reply: '451 4.7.1 Later' }
        : { do: 'accept' };
    const id = await queue('confirmation:3', 'later@real.internal');
    await settled(id, 'DEFERRED');
    await world.database.query(`update message set due_at = clock_timestamp() where message_id = $1`, [
      uuidOf('msg', id),
    ]);
    await settled(id, 'DELIVERED');
    expect(await stateOf(id)).toMatchObject({ attempts: 2 });
    const events = await world.tidings.deliverEvents();
    const about = events.filter(({ data }) => (data as { messageId?: string }).messageId === id);
    expect(about.map(({ name }) => name)).toEqual(['message.delayed', 'message.sent', 'message.delivered']);
    expect(about[1]!.data).toMatchObject({ campaignId: null, campaignName: null, subject: 'Please confirm' });
  });

  it('goes out again, octet for octet, when the relay went silent over the final dot: it must not be lost', async () => {
    sink.behave = (to, nth) =>
      to === 'silent@real.internal' && nth === 1 ? { do: 'drop', at: 'DOT' } : { do: 'accept' };
    const id = await queue('confirmation:silent', 'silent@real.internal');
    await settled(id, 'DEFERRED');
    await world.database.query(`update message set due_at = clock_timestamp() where message_id = $1`, [
      uuidOf('msg', id),
    ]);
    await settled(id, 'DELIVERED');
    const raws = sink.messages.filter(({ to }) => to === 'silent@real.internal').map(({ raw }) => raw);
    expect(raws).toEqual([raws[0], raws[0]]);
  });

  it('is found by its return path when the month turns between the call and its commit', async () => {
    const [{ before }] = await world.database.query<[{ before: Date }]>(
      `select date_trunc('month', clock_timestamp(), 'UTC') - interval '1 millisecond' as before`,
    );
    const caller = { ...world.tidings.caller(tenant), now: before };
    const asked = { sourceKey: 'confirmation:turn', subscriberId: newId('sub'), email: 'turn@real.internal', ...mail };
    const { messageId } = await world.tidings.client(messageRequests).queue_message(asked, caller);
    await settled(messageId, 'DELIVERED');
    const { from } = sink.messages.find(({ to }) => to === 'turn@real.internal')!;
    const report = [`To: <${from}>`, 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"', ''];
    const status = ['--b', 'Content-Type: message/delivery-status', '', 'Action: failed', 'Status: 5.1.1', '', '--b--'];
    const raw = Buffer.from([...report, ...status, ''].join('\r\n')).toString('base64');
    const operator = world.tidings.caller({ organizationId: '' });
    expect(await world.tidings.client(feedbackRequests).record_mail_report({ raw }, operator)).toMatchObject({
      recorded: 1,
    });
  });

  it('only spares the socket for a test address', async () => {
    const before = sink.accepted;
    const id = await queue('confirmation:4', 'ada@example.com');
    await settled(id, 'DELIVERED');
    expect(sink.accepted).toBe(before);
  });

  it('holds back the sixth message to one mailbox within ten minutes', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push(await queue(`guarded:${i}`, 'Guarded@real.internal'));
    const delivered = async () => {
      const states = await Promise.all(ids.map(stateOf));
      return states.filter(({ state }) => state === 'DELIVERED').length;
    };
    await until('the sixth is put off', async () => {
      const rows: { n: number }[] = await world.database.query(
        `select count(*)::int as n from message where email = 'Guarded@real.internal' and state = 'QUEUED'
         and due_at > clock_timestamp() + interval '5 minutes'`,
      );
      return rows[0]!.n === 1;
    });
    await until('five are there', async () => (await delivered()) === 5);
  });

  it('refuses an invalid address, and an organization without a sender', async () => {
    await expect(queue('bad', 'nonsense')).rejects.toMatchObject({ failure: { reason: 'PARAMETERS_INVALID' } });
    const nobody = world.tidings.caller({ organizationId: newId('org') });
    const asked = { sourceKey: 'x', subscriberId: newId('sub'), email: 'ada@example.com', ...mail };
    await expect(world.tidings.client(messageRequests).queue_message(asked, nobody)).rejects.toMatchObject({
      failure: { reason: 'SENDER_MISSING' },
    });
  });
});
