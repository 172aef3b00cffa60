import { beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRecipientRequests } from '#contracts';
import { newId, uuidOf, wireId } from '#database';
import type { RemoteFailure } from '#tool-call';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('the recipients of a campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(2);
  });

  const client = () => fixture.harness.client(campaignRecipientRequests);
  const retry = (campaignId: string, tenant = fixture.tenant) =>
    client().retry_campaign({ campaignId, inDoubt: false }, fixture.harness.caller(tenant));
  const list = (campaignId: string, tenant = fixture.tenant) =>
    client().list_campaign_recipients(
      { campaignId, statuses: null, cursor: null, limit: 10 },
      fixture.harness.caller(tenant),
    );
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'accepted',
      (error: RemoteFailure) => error.failure.reason,
    );
  const delivery = (text: string, ...values: unknown[]) => fixture.harness.dataSource('delivery').query(text, values);

  /** A campaign whose one message was refused for now, its send over. */
  const failed = async () => {
    const { id } = await fixture.draft();
    await fixture.sendNow(id);
    const { send_id: send } = await fixture.row(id);
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

  it('are none before it is sent, and belong to its organization only', async () => {
    const { id } = await fixture.draft();
    const nobody = { total: 0, pending: 0, recipients: [], nextCursor: null };
    expect(await list(id)).toEqual({ campaignId: id, status: 'DRAFT', ...nobody });
    expect(await refusal(retry(id))).toBe('CAMPAIGN_NOT_SENT');
    expect(await refusal(list(id, fixture.otherTenant))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(retry(id, fixture.otherTenant))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(retry(newId('cmp')))).toBe('CAMPAIGN_NOT_FOUND');
  });

  it('cannot be tried again while it starts, while it stops, or when it never started', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.data('schedule_campaign', { campaignId: id }, fixture.tenant);
    await fixture.harness.bus.without('subscriber', () => fixture.startDue());
    expect(await refusal(retry(id))).toBe('CAMPAIGN_STARTING');
    await fixture.age(id, `status = 'FAILED', finished_at = clock_timestamp()`);
    expect(await refusal(retry(id))).toBe('CAMPAIGN_NOT_SENT');
    const { id: other, send } = await failed();
    await delivery(`update send set state = 'STOPPED', finished_at = null where send_id = $1`, send);
    expect(await refusal(retry(other))).toBe('CAMPAIGN_STOPPING');
  });

  it('keep it SENDING until the retry ends, in any order of the services’ events', async () => {
    const { id, send } = await failed();
    const sendId = wireId('send', send);
    const end = (at: string) =>
      fixture.hear('send.finished', [{ sendId, campaignId: id, outcome: 'SENT', failure: null, at }]);
    const before = new Date(Date.now()).toISOString();
    await end(before);
    const bounced = async () =>
      (await fixture.harness.data<{ bounced: object }>('get_campaign_analytics', { campaignId: id }, fixture.tenant))
        .bounced;
    expect(await retry(id)).toEqual({ campaignId: id, status: 'SENDING', retried: 1, inDoubt: 0 });
    await fixture.harness.deliverEvents();
    // The bounce that the retry withdraws is subtracted, in either order of the two events.
    expect(await bounced()).toEqual({ hard: 0, soft: 0 });
    await fixture.hear('message.bounced', [softBounce(id)]);
    expect(await bounced()).toEqual({ hard: 0, soft: 0 });
    await fixture.hear('message.bounced', [softBounce(id)]);
    expect(await bounced()).toEqual({ hard: 0, soft: 1 });
    expect(await sendRow(send)).toEqual([{ state: 'RUNNING', finished_at: null, failed: 0, deferred: 1 }]);
    await end(before);
    expect((await fixture.get(id)).status).toBe('SENDING');
    await end(new Date(Date.now() + 60_000).toISOString());
    expect((await fixture.get(id)).status).toBe('SENT');
    // A send that ended again before the campaign service noted its retry.
    await end(new Date(Date.now() + 120_000).toISOString());
    expect(new Date((await fixture.get(id)).finishedAt!).getTime()).toBeGreaterThan(Date.now() + 60_000);
    expect(await retry(id)).toEqual({ campaignId: id, status: 'SENT', retried: 0, inDoubt: 0 });
  });
});
