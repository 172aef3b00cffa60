import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRecipientRequests } from '#contracts';
import { newId, uuidOf, wireId } from '#database';
import type { RemoteFailure } from '#tool-call';
import { Desk } from '../campaign-fixture.js';

describe('the recipients of a campaign', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.people(2);
  });
  afterAll(() => desk.close());

  const client = () => desk.tidings.client(campaignRecipientRequests);
  const retry = (campaignId: string, tenant = desk.ours) =>
    client().retry_campaign({ campaignId, inDoubt: false }, desk.tidings.caller(tenant));
  const list = (campaignId: string, tenant = desk.ours) =>
    client().list_campaign_recipients(
      { campaignId, statuses: null, cursor: null, limit: 10 },
      desk.tidings.caller(tenant),
    );
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'accepted',
      (error: RemoteFailure) => error.failure.reason,
    );
  const delivery = (text: string, ...values: unknown[]) => desk.tidings.dataSource('delivery').query(text, values);

  /** A campaign whose one message was refused for now, its send over. */
  const failed = async () => {
    const { id } = await desk.draft();
    await desk.sendNow(id);
    const { send_id: send } = await desk.row(id);
    await delivery(
      `insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state, code,
         enhanced_code, response) select organization_id, $2, period, 'CAMPAIGN', send_id, 0, $3, 'person-0@example.com', 'Hello',
         'FAILED', 552, '5.2.2', '552 5.2.2 Full' from send where send_id = $1`,
      ...[send, uuidOf('msg', newId('msg')), uuidOf('sub', newId('sub'))],
    );
    await delivery(`update send_page set failed = 1, state = 'DONE' where send_id = $1`, send);
    await delivery(`update send set state = 'DONE', finished_at = clock_timestamp() where send_id = $1`, send);
    return { id, send };
  };
  const sendRow = async (send: string) =>
    (await delivery(
      `select s.state, s.finished_at, p.failed, p.deferred from send s join send_page p using (organization_id, send_id) where send_id = $1`,
      send,
    )) as object[];

  const softBounce = (campaignId: string) => ({
    messageId: newId('msg'),
    subscriberId: null,
    campaignId,
    campaignName: null,
    subject: 'Hello',
    email: 'person-0@example.com',
    at: '2026-05-01T10:00:00.000Z',
    simulated: false,
    reason: '552 5.2.2 Full',
    bounceType: 'SOFT' as const,
    bounceCategory: 'MAILBOX_FULL' as const,
    provider: null,
    status: '5.2.2',
  });

  it('are nobody before it goes out, and nobody’s but the organization’s', async () => {
    const { id } = await desk.draft();
    const nobody = { total: 0, pending: 0, recipients: [], nextCursor: null };
    expect(await list(id)).toEqual({ campaignId: id, status: 'DRAFT', ...nobody });
    expect(await refusal(retry(id))).toBe('CAMPAIGN_NOT_SENT');
    expect(await refusal(list(id, desk.theirs))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(retry(id, desk.theirs))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(retry(newId('cmp')))).toBe('CAMPAIGN_NOT_FOUND');
  });

  it('cannot be tried again while it starts, while it stops, or when it never started', async () => {
    const { id } = await desk.draft();
    await desk.tidings.data('schedule_campaign', { campaignId: id }, desk.ours);
    await desk.tidings.bus.without('subscriber', () => desk.startDue());
    expect(await refusal(retry(id))).toBe('CAMPAIGN_STARTING');
    await desk.age(id, `status = 'FAILED', finished_at = clock_timestamp()`);
    expect(await refusal(retry(id))).toBe('CAMPAIGN_NOT_SENT');
    const { id: other, send } = await failed();
    await delivery(`update send set state = 'STOPPED', finished_at = null where send_id = $1`, send);
    expect(await refusal(retry(other))).toBe('CAMPAIGN_STOPPING');
  });

  it('let it run again until they were tried again, in whatever order the services hear of it', async () => {
    const { id, send } = await failed();
    const sendId = wireId('send', send);
    const end = (at: string) =>
      desk.hear('send.finished', [{ sendId, campaignId: id, outcome: 'SENT', failure: null, at }]);
    const before = new Date(Date.now()).toISOString();
    await end(before);
    const bounced = async () =>
      (await desk.tidings.data<{ bounced: object }>('get_campaign_analytics', { campaignId: id }, desk.ours)).bounced;
    expect(await retry(id)).toEqual({ campaignId: id, status: 'SENDING', retried: 1, inDoubt: 0 });
    await desk.tidings.deliverEvents();
    // The refusal that it takes back is counted out, whichever of the two is heard of first.
    expect(await bounced()).toEqual({ hard: 0, soft: 0 });
    await desk.hear('message.bounced', [softBounce(id)]);
    expect(await bounced()).toEqual({ hard: 0, soft: 0 });
    await desk.hear('message.bounced', [softBounce(id)]);
    expect(await bounced()).toEqual({ hard: 0, soft: 1 });
    expect(await sendRow(send)).toEqual([{ state: 'RUNNING', finished_at: null, failed: 0, deferred: 1 }]);
    await end(before);
    expect((await desk.get(id)).status).toBe('SENDING');
    await end(new Date(Date.now() + 60_000).toISOString());
    expect((await desk.get(id)).status).toBe('SENT');
    // A send that ended again before the campaign service noted its retry.
    await end(new Date(Date.now() + 120_000).toISOString());
    expect(new Date((await desk.get(id)).finishedAt!).getTime()).toBeGreaterThan(Date.now() + 60_000);
    expect(await retry(id)).toEqual({ campaignId: id, status: 'SENT', retried: 0, inDoubt: 0 });
  });
});
