import { describe, expect, it, jest } from '@jest/globals';
import { feedbackRequests } from '#contracts';
import { uuidOf } from '#database';
import type { SmtpSink } from '#testing';
import { intoLayout, layouts } from '../../../test/harness/message-layouts.js';
import { people, SendFixture } from './send-fixture.js';
import type { Sending } from './send-fixture.js';
import { dsn, linkTokens } from './smtp/listener-fixture.js';

jest.setTimeout(180_000);

const recipients = 50;
const sends = 5;

describe.each(layouts)('five bounces of each of 50 recipients, %s', (layout) => {
  const world = SendFixture.ofSuite();

  const sendFiveTimes = async (tenant: Sending, relay: SmtpSink) => {
    const engine = world.engine(relay.url, { SMTP_FEEDBACK: 'webhook' });
    const audience = await world.audience(tenant, people(recipients));
    const started = [];
    for (let n = 0; n < sends; n += 1) {
      const send = await world.send(tenant, audience);
      await world.finished(send);
      started.push(send);
    }
    await world.end(engine);
    await world.tidings.deliverEvents();
    for (const { sendId } of started) await intoLayout(world.database, layout, sendId);
  };

  /** Reports every message of an organization as returned after the relay's own schedule. */
  const returnAll = async ({ organizationId }: Sending, status: string, text: string) => {
    const rows: { message_id: string; month: string; email: string }[] = await world.database.query(
      `select message_id, to_char(period, 'YYYY-MM') as month, email from any_message where organization_id = $1`,
      [uuidOf('org', organizationId)],
    );
    expect(rows).toHaveLength(recipients * sends);
    const requests = world.tidings.client(feedbackRequests);
    for (const { message_id: messageId, month: period, email } of rows) {
      const token = linkTokens.seal('return-path', {
        organizationId: uuidOf('org', organizationId)!,
        messageId,
        period,
      });
      const mail = dsn(email, status, text).replace('It came back.', `b.${token}@mail.internal`);
      const raw = Buffer.from(mail).toString('base64');
      await requests.record_mail_report({ raw }, world.tidings.caller({ organizationId: '' }));
    }
    await world.tidings.deliverEvents();
  };

  /** Counts subscribers by status, and lists the decisions in their histories. */
  const seen = async (tenant: Sending) => {
    const { counts } = await world.tidings.data<{ counts: object }>('count_subscribers_by_status', {}, tenant);
    const decisions: { decision: string; n: number }[] = await world.tidings.dataSource('subscriber').query(
      `select data #>> '{suppression,cause}' || ' ' || (data #>> '{suppression,counted}') as decision, count(*)::int as n
       from subscriber_event where organization_id = $1 and type = 'EMAIL_BOUNCED' group by 1`,
      [uuidOf('org', tenant.organizationId)],
    );
    return { counts, decisions };
  };
  const noneSuppressed = (cause: string) => ({
    counts: { SUBSCRIBED: recipients },
    decisions: [{ decision: `${cause} false`, n: recipients * sends }],
  });

  it.each([
    ['RCPT TO with 550 5.7.1', { at: 'RCPT' as const, reply: '550 5.7.1 Not by our rules' }, 'POLICY'],
    ['the message with 550 User unknown', { at: 'DOT' as const, reply: '550 User unknown' }, 'POLICY'],
    ['the message with 554 5.6.0', { at: 'DOT' as const, reply: '554 5.6.0 Bad content' }, 'CONTENT'],
  ])('suppress none where the server refuses %s', async (_, refusal, cause) => {
    const tenant = await world.organization();
    await sendFiveTimes(tenant, await world.relay({ behave: () => ({ do: 'refuse', ...refusal }) }));
    expect(await seen(tenant)).toMatchObject(noneSuppressed(cause));
  });

  it('suppress none where the relay refuses MAIL FROM', async () => {
    const tenant = await world.organization();
    await sendFiveTimes(tenant, await world.relay({ refuseSenders: '552 5.2.2 Mailbox full' }));
    expect(await seen(tenant)).toMatchObject(noneSuppressed('SENDER_REFUSED'));
  });

  it('suppress none where the relay reports 4.7.1 at the end of its schedule', async () => {
    const tenant = await world.organization();
    await sendFiveTimes(tenant, await world.relay());
    await returnAll(tenant, '4.7.1', '451 4.7.1 Please try again later');
    expect(await seen(tenant)).toMatchObject(noneSuppressed('TRANSIENT'));
  });

  it('suppress all where the relay reports 4.2.2, without another field in the history that tools show', async () => {
    const tenant = await world.organization();
    await sendFiveTimes(tenant, await world.relay());
    await returnAll(tenant, '4.2.2', '452 4.2.2 Over quota');
    expect(await seen(tenant)).toMatchObject({
      counts: { BOUNCED: recipients },
      decisions: [{ decision: 'MAILBOX_FULL true', n: recipients * sends }],
    });
    const { events } = await world.tidings.data<{ events: { data: object }[] }>(
      'list_subscriber_events',
      { email: 'p0@people.internal', eventType: 'EMAIL_BOUNCED' },
      tenant,
    );
    expect(Object.keys(events[0]!.data).sort()).toEqual([
      ...['bounceCategory', 'bounceType', 'campaignId', 'emailId', 'provider', 'reason', 'status', 'subject'],
    ]);
  });
});
