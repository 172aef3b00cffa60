import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deliveryRequests, feedbackRequests } from '#contracts';
import { wireId } from '#database';
import { CallContexts } from '#service-host';
import { until } from '#testing';
import { ControlFixture } from '../apps/campaign/test/control-fixture.js';
import { EndedChunkRepository } from '../apps/delivery/src/send/chunk/ended-chunk.repository.js';
import { finishSends } from '../apps/delivery/src/send/finish-send.job.js';
import { linkTokens } from '../apps/delivery/test/smtp/listener-fixture.js';
import { layouts } from './harness/message-layouts.js';

const day = 24 * 3_600_000;
const outcomes = [
  { email: 'full@people.internal', state: 'FAILED', code: 552, enhancedCode: '5.2.2', response: '552 5.2.2 Full' },
  { email: 'doubt@people.internal', state: 'IN_DOUBT' },
  { email: 'read@people.internal', state: 'DELIVERED' },
  { email: 'sent@people.internal', state: 'SENT' },
  { email: 'text@people.internal', state: 'SKIPPED', skipReason: 'RENDER_FAILED' },
  { email: 'left@people.internal', state: 'SKIPPED', skipReason: 'UNSUBSCRIBED' },
];
/** Addresses of the second chunk; the others are in the first. */
const second = ['sent', 'text', 'left'].map((name) => `${name}@people.internal`);

describe.each(layouts)('chunks of a send that ended 30 days ago, %s', (layout) => {
  let control: ControlFixture;
  beforeAll(async () => {
    control = await ControlFixture.open();
  });
  afterAll(() => control.fixture.close());

  const data = <T = object>(tool: string, input: object) =>
    control.fixture.harness.data<T>(tool, input, control.fixture.tenant);
  const caller = () => control.fixture.harness.caller(control.fixture.tenant);
  const database = () => control.fixture.harness.dataSource('delivery');
  const deleteOld = async (days: number) => {
    const chunks = new EndedChunkRepository(database().manager);
    const now = new Date(Date.now() + days * day);
    let deleted = 0;
    for (let n = await chunks.deleteOld(now); n > 0; n = await chunks.deleteOld(now)) deleted += n;
    return deleted;
  };
  const chunksOf = async (send: string) =>
    (
      await control.delivery<{ page_no: number }[]>('select page_no from send_page where send_id = $1 order by 1', send)
    ).map((row) => row.page_no);
  const progress = (campaignId: string) => data('get_campaign_progress', { campaignId });

  /** A campaign whose send of two chunks has ended. @returns its id and the uuid of its send */
  async function ended(): Promise<{ campaignId: string; send: string }> {
    const campaignId = await control.sending();
    await control.outcomes(campaignId, outcomes);
    const { send_id: old } = await control.fixture.row(campaignId);
    await control.delivery('update message set page_no = 1 where send_id = $1 and email = any($2)', old, second);
    await control.delivery(
      `insert into send_page (organization_id, send_id, page_no) select organization_id, send_id, 1 from send where send_id = $1`,
      old,
    );
    await control.delivery('update send set pages = 2, total = 6 where send_id = $1', old);
    await control.intoLayout(layout, campaignId);
    await control.endSend(campaignId, 0);
    const { send_id: send } = await control.fixture.row(campaignId);
    await control.delivery(
      `update send_page set failed = 1 - page_no, in_doubt = 1 - page_no, sent = 1, delivered = 1 - page_no,
         skipped = case page_no when 1 then '{"RENDER_FAILED": 1, "UNSUBSCRIBED": 1}' else '{}'::jsonb end where send_id = $1`,
      send,
    );
    await control.fixture.finish(campaignId);
    return { campaignId, send };
  }

  const messageOf = async (send: string, email: string) => {
    const [row] = await control.delivery<{ organization_id: string; message_id: string; month: string }[]>(
      `select organization_id, message_id, to_char(period, 'YYYY-MM') as month from any_message where send_id = $1 and email = $2`,
      send,
      email,
    );
    return row!;
  };

  async function report(send: string, name: string, what: 'BOUNCED' | 'DELIVERED'): Promise<void> {
    const message = await messageOf(send, `${name}@people.internal`);
    const key = { organizationId: message.organization_id, messageId: message.message_id, period: message.month };
    const named = {
      returnPath: `b.${linkTokens.seal('return-path', key)}@mail.internal`,
      messageId: null,
      address: null,
    };
    const gone = { status: '5.1.1', text: '550 5.1.1 No such user', type: null, category: null };
    const reports = [what === 'BOUNCED' ? { kind: what, ...named, ...gone } : { kind: what, ...named }];
    const harness = control.fixture.harness;
    expect(
      await harness
        .client(feedbackRequests)
        .record_provider_reports({ reports }, harness.caller({ organizationId: '' })),
    ).toMatchObject({ recorded: 1 });
  }

  /** Everything that is derived from chunks, or finds a message. */
  async function answers({ campaignId, send }: { campaignId: string; send: string }): Promise<object> {
    const sendId = wireId('send', send);
    const messages = await Promise.all(
      outcomes.map(async ({ email }) => wireId('msg', (await messageOf(send, email)).message_id)),
    );
    const requests = control.fixture.harness.client(deliveryRequests);
    return {
      progress: await data('get_campaign_progress', { campaignId }),
      recipients: await data('list_campaign_recipients', { campaignId }),
      analytics: await data('get_campaign_analytics', { campaignId }),
      series: await data('get_campaign_series', { campaignId, interval: 'DAY' }),
      search: await data('search_campaigns', {}),
      send: await data('get_send', { sendId }),
      sends: await data('list_sends', {}),
      messages: await Promise.all(messages.map((messageId) => data('get_message', { messageId }))),
      explained: await Promise.all(messages.map((messageId) => data('explain', { messageId }))),
      pages: await requests.list_send_pages({ sendId, limit: 10 }, caller()),
      mails: await requests.count_mails({}, caller()),
    };
  }

  it('go with their attempt marks, and every answer stays the same', async () => {
    const campaign = await ended();
    const before = await answers(campaign);
    expect(await progress(campaign.campaignId)).toMatchObject({ sent: 2, failed: 1, inDoubt: 1 });
    expect(await progress(campaign.campaignId)).toMatchObject({ skipped: { RENDER_FAILED: 1, UNSUBSCRIBED: 1 } });
    await deleteOld(29);
    expect(await chunksOf(campaign.send)).toEqual([0, 1]);
    expect(await deleteOld(31)).toBeGreaterThan(0);
    expect(await chunksOf(campaign.send)).toEqual([-1]);
    expect(await control.delivery('select from send_attempt where send_id = $1', campaign.send)).toEqual([]);
    expect(await answers(campaign)).toEqual(before);
    expect(await deleteOld(31)).toBe(0);
  });

  it('stay while a message is deferred', async () => {
    const { send } = await ended();
    await control.delivery('update send_page set deferred = 1 where send_id = $1 and page_no = 1', send);
    await deleteOld(31);
    expect(await chunksOf(send)).toEqual([0, 1]);
  });

  it('count later reports in their totals', async () => {
    const { campaignId, send } = await ended();
    await deleteOld(31);
    await report(send, 'sent', 'BOUNCED');
    await report(send, 'doubt', 'DELIVERED');
    expect(await progress(campaignId)).toMatchObject({ sent: 3, delivered: 2, bounced: 1, inDoubt: 0 });
    expect(await chunksOf(send)).toEqual([-1]);
  });

  it('count a report that arrives while they are deleted', async () => {
    const { campaignId, send } = await ended();
    const session = database().createQueryRunner();
    await session.startTransaction();
    await new EndedChunkRepository(session.manager).deleteOld(new Date(Date.now() + 31 * day));
    const reported = report(send, 'sent', 'BOUNCED');
    const isWaiting = async () =>
      (
        await database().query<unknown[]>(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update send_page p%' and datname = current_database()`,
        )
      ).length > 0;
    await until('the wait of the report', isWaiting);
    await session.commitTransaction();
    await session.release();
    await reported;
    expect(await progress(campaignId)).toMatchObject({ sent: 2, delivered: 1, bounced: 1 });
    expect(await chunksOf(send)).toEqual([-1]);
  });

  it('begin again when the campaign is retried, and end again', async () => {
    const campaign = await ended();
    const { campaignId, send } = campaign;
    const retried = { sent: 2, delivered: 1, failed: 0, inDoubt: 0 };
    await deleteOld(31);
    expect(await data('retry_campaign', { campaignId, inDoubt: true })).toMatchObject({ retried: 3 });
    expect(await chunksOf(send)).toEqual([-1, 0, 1]);
    expect(await progress(campaignId)).toMatchObject({ ...retried, deferred: 3, skipped: { UNSUBSCRIBED: 1 } });
    await deleteOld(31);
    expect(await chunksOf(send)).toEqual([-1, 0, 1]);
    await data('stop_campaign', { campaignId });
    await finishSends({ contexts: new CallContexts('delivery', database(), () => undefined) });
    const before = await answers(campaign);
    expect(await progress(campaignId)).toMatchObject({
      ...retried,
      deferred: 0,
      skipped: { UNSUBSCRIBED: 1, STOPPED: 3 },
    });
    await deleteOld(31);
    expect(await chunksOf(send)).toEqual([-1]);
    expect(await answers(campaign)).toEqual(before);
  });
});
