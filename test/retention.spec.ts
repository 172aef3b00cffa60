import { randomBytes } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { recipientRequests, retentionSettingRequests } from '#contracts';
import type { EventData, Service } from '#contracts';
import { maintainPartitions, uuidOf, wireId } from '#database';
import { deleteExpired } from '#service-host';
import type { RemoteFailure } from '#tool-call';
import { retainedRows as deliveryRows } from '../apps/delivery/src/retained-rows.js';
import { retainedRows as subscriberRows } from '../apps/subscriber/src/retained-rows.js';
import { retainedRows as workflowRows } from '../apps/workflow/src/retained-rows.js';
import { CampaignFixture } from '../apps/campaign/test/campaign-fixture.js';
import type { Tenant } from './harness/harness.js';
import { useFixture } from './harness/use-fixture.js';

const rowsOf = { delivery: deliveryRows, subscriber: subscriberRows, workflow: workflowRows };
const services = ['delivery', 'subscriber', 'workflow'] as const;
const months = 30;

jest.setTimeout(360_000);

describe('thirty months of mail', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  const now = new Date();
  /** The twelfth of a month, at most today. */
  const ago = (n: number) =>
    new Date(Math.min(now.getTime(), Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 12, 9)));
  const idAt = (at: Date) => {
    const hex = at.getTime().toString(16).padStart(12, '0') + '7' + randomBytes(2).toString('hex').slice(1) + '8';
    const all = hex + randomBytes(8).toString('hex').slice(1);
    return [all.slice(0, 8), all.slice(8, 12), all.slice(12, 16), all.slice(16, 20), all.slice(20)].join('-');
  };
  const sql = (service: Service, text: string, values: unknown[] = []) =>
    fixture.harness.dataSource(service).query<Record<string, unknown>[]>(text, values);
  const keyOf = ({ organizationId }: Tenant) => uuidOf('org', organizationId)!;

  /** A month's mail of an organization, and runs that ended in it. @returns ids of its campaign and its send */
  async function fill(tenant: Tenant, at: Date): Promise<{ campaign: string; send: string }> {
    const [organization, campaign, send, run] = [keyOf(tenant), idAt(at), idAt(at), idAt(at)];
    const subscribers = [idAt(at), idAt(at)];
    await sql(
      'delivery',
      `with made as (insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, organization_name,
           track_opens, track_clicks, state, total, pages, period, started_at, finished_at)
         values ($1, $2, $3, 'News', $2, '{"format": 1, "links": ["https://a.example"], "subject": ["Hello"], "html": ["x"], "text": ["x"]}',
           '{}', 'Shop', true, true, 'DONE', 2, 1, date_trunc('month', $5::timestamptz), $5, $5) returning *),
       sent as (insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state)
         select organization_id, s, period, 'CAMPAIGN', send_id, 0, s, 'a@b.example', '', 'DELIVERED' from made, unnest($4::uuid[]) s
         returning *),
       source as (insert into message_source select organization_id, message_id::text, message_id, period from sent)
       insert into message_link select organization_id, message_id, period, 0 from sent`,
      [organization, send, campaign, subscribers, at],
    );
    await sql(
      'subscriber',
      `with told as (insert into subscriber_event (created_at, organization_id, event_id, subscriber_id, type, campaign_id, data)
         select $4, $1, s, s, 'EMAIL_SENT', $2, '{}' from unnest($3::uuid[]) s)
       insert into subscriber_campaign (organization_id, campaign_id, subscriber_id, sent_at) select $1, $2, s, $4 from unnest($3::uuid[]) s`,
      [organization, campaign, subscribers, at],
    );
    await insertRun(organization, { run, at, finished: true });
    return { campaign: wireId('cmp', campaign), send: wireId('send', send) };
  }

  const insertRun = (organization: string, { run, at, finished }: { run: string; at: Date; finished: boolean }) =>
    sql(
      'workflow',
      `with made as (insert into run (organization_id, run_id, workflow_id, version, subscriber_id, state, shard, started_at, finished_at)
         values ($1, $2, $1, 1, $2, case when $4 then 'COMPLETED' else 'WAITING' end, 0, $3, case when $4 then $3::timestamptz end)),
       once as (insert into enrolled_once values ($1, $1, $2))
       insert into run_history (organization_id, run_id, visit, step_id, at, outcome, data) values ($1, $2, 0, 'start', $3, 'LEFT', '{}')`,
      [organization, run, at, finished],
    );

  const count = async (service: Service, table: string, tenant: Tenant, condition = 'true') =>
    (
      await sql(service, `select count(*)::int as n from ${table} where organization_id = $1 and ${condition}`, [
        keyOf(tenant),
      ])
    )[0]!.n;
  const held = async (tenant: Tenant) => ({
    message: await count('delivery', 'message', tenant),
    link: await count('delivery', 'message_link', tenant),
    source: await count('delivery', 'message_source', tenant),
    template: await count('delivery', 'send', tenant, `template ? 'html'`),
    activity: await count('subscriber', 'subscriber_campaign', tenant),
    event: await count('subscriber', 'subscriber_event', tenant),
    run: await count('workflow', 'run', tenant),
    history: await count('workflow', 'run_history', tenant),
    once: await count('workflow', 'enrolled_once', tenant),
    send: await count('delivery', 'send', tenant),
  });

  /** What the nightly job and the care of partitions do. @returns rows that were deleted */
  async function night(): Promise<number> {
    let deleted = 0;
    for (const service of services) {
      const { manager } = fixture.harness.dataSource(service);
      await maintainPartitions(manager);
      const list = async (after: string | null) =>
        (
          await fixture.harness
            .client(retentionSettingRequests)
            .list_retention({ after, limit: 1 }, fixture.harness.caller({ organizationId: '' }))
        ).organizations;
      for await (const n of deleteExpired({ sql: manager, rows: rowsOf[service], now, list })) deleted += n;
    }
    return deleted;
  }

  /** A run that waits, and a message that is due, since the first month. */
  async function leaveUnderWay(): Promise<void> {
    const organization = keyOf(fixture.tenant);
    await insertRun(organization, { run: idAt(ago(months)), at: ago(months), finished: false });
    await sql(
      'delivery',
      `update message set state = 'DEFERRED', due_at = now()
       where message_id = (select message_id from message where organization_id = $1 order by period limit 1)`,
      [organization],
    );
  }

  /** A draft becomes the campaign of the first month, whose mail is opened. @returns what analytics answer */
  async function happen(draft: string, campaignId: string): Promise<object> {
    await sql('campaign', 'update campaign set campaign_id = $1 where campaign_id = $2', [
      uuidOf('cmp', campaignId),
      uuidOf('cmp', draft),
    ]);
    const sent: EventData<'message.sent'> = {
      messageId: wireId('msg', idAt(ago(months))),
      subscriberId: wireId('sub', idAt(ago(months))),
      campaignId,
      campaignName: 'News',
      subject: 'Hello',
      email: 'a@b.example',
      at: ago(months).toISOString(),
      simulated: false,
    };
    await fixture.hear('message.sent', [sent, sent]);
    await fixture.hear('message.opened', [{ ...sent, machine: false, first: true, userAgent: null }]);
    const found = await answers(campaignId);
    expect(found.analytics).toMatchObject({ sent: 2, opens: { unique: 1 } });
    return found;
  }

  const answers = async (campaignId: string) => ({
    analytics: await fixture.harness.data<object>('get_campaign_analytics', { campaignId }, fixture.tenant),
    campaigns: await fixture.harness.data<object>('list_campaigns', {}, fixture.tenant),
    total: await fixture.harness.data<object>('get_org_stats', {}, fixture.tenant),
  });

  it('leaves what the retention says: its tables, answers of analytics, and what is in progress', async () => {
    const { harness, tenant, otherTenant } = fixture;
    const draft = (await fixture.draft()).id;
    let old: Awaited<ReturnType<typeof fill>> | null = null;
    let before: object | null = null;
    for (let n = months; n >= 0; n--) {
      // Partitions reach two months ahead.
      for (const service of n % 3 === 0 ? services : [])
        await maintainPartitions(harness.dataSource(service).manager, { at: ago(n) });
      const made = await fill(tenant, ago(n));
      await fill(otherTenant, ago(n));
      if (old) continue;
      old = made;
      await leaveUnderWay();
      before = await happen(draft, made.campaign);
    }
    const { campaign, send } = old!;
    const received = { type: 'CAMPAIGN', field: 'campaign', operator: 'RECEIVED', campaignId: campaign };
    await harness.data('query_subscribers', { filters: [received] }, tenant);

    await harness.data(
      'set_retention',
      { messages: 6, onlineVersions: 2, campaignActivity: 3, subscriberEvents: 1, runs: 4 },
      tenant,
    );
    const { retention } = await harness.data<{ retention: { data: string; deletesNow: number }[] }>(
      'get_retention',
      {},
      tenant,
    );
    // Partitions older than the installation's period are dropped already, except for the months of what is in progress.
    expect(retention.map(({ data, deletesNow }) => [data, deletesNow])).toEqual([
      ['messages', (25 - 6) * 4 + 1],
      ['onlineVersions', months - 2],
      ['campaignActivity', (months - 3) * 2],
      ['subscriberEvents', (25 - 1) * 2],
      ['runs', months - 4 + (13 - 4) + 1],
    ]);
    expect(await night()).toBeGreaterThan(0);
    expect(await night()).toBe(0);

    expect(await held(otherTenant)).toEqual({
      message: 52,
      link: 52,
      source: expect.any(Number),
      template: 14,
      activity: 52,
      event: 52,
      run: 14,
      history: 14,
      once: months + 1,
      send: months + 1,
    });
    expect((await held(otherTenant)).source as number).toBeLessThanOrEqual(8);
    expect(await held(tenant)).toEqual({
      // One is due, and its month stays with it.
      message: 14 + 1,
      link: 14,
      source: expect.any(Number),
      template: 3,
      activity: 8,
      event: 4,
      // One has not ended.
      run: 5 + 1,
      history: 5 + 1,
      once: months + 2,
      send: months + 1,
    });
    expect(await answers(campaign)).toEqual(before);
    const outcome = await harness.call('query_subscribers', { filters: [received] }, tenant);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'REFUSED', reason: 'RECORDS_EXPIRED' } });
    const page = { statuses: null, cursor: null, limit: 10 };
    const asked = harness.client(recipientRequests);
    const refused = await asked
      .list_recipients({ sendId: send, ...page }, harness.caller(tenant))
      .catch((e: unknown) => e);
    expect((refused as RemoteFailure).failure.reason).toBe('RECORDS_EXPIRED');
    const again = await asked
      .retry_send({ sendId: send, inDoubt: false }, harness.caller(tenant))
      .catch((e: unknown) => e);
    expect((again as RemoteFailure).failure.reason).toBe('RECORDS_EXPIRED');
  });
});
