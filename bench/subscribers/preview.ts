import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import { campaignReportTools, campaignTools, explainTools, segmentTools } from '#contracts';
import { wireId } from '#database';
import { median } from '../report.js';
import { timed } from './organization.js';
import type { Organization } from './organization.js';

const rounds = 5;
const explained = 300;

/** The same preview in SQL by hand: members, excluded by reason, and the largest domains, in one pass. */
const byHand = `
  with g as materialized (
    select case when s.status = 'SUBSCRIBED' and s.banned_at is null and s.hard_bounced_at is null and s.complained_at is null
        then null when s.banned_at is not null then 'BANNED' when s.complained_at is not null then 'COMPLAINED'
        when s.hard_bounced_at is not null then 'BOUNCED' else s.status end as reason,
      case when s.status = 'SUBSCRIBED' and s.banned_at is null and s.hard_bounced_at is null and s.complained_at is null
        then split_part(s.email_key, '@', 2) end as domain, count(*) as n
    from subscriber s where s.organization_id = $1 and exists (
      select from subscriber_tag t where t.organization_id = $1 and t.subscriber_id = s.subscriber_id and t.tag_id = $2)
    group by 1, 2)
  select (select sum(n) from g where reason is null) as total, (select jsonb_object_agg(reason, n) from g where reason is not null) as excluded,
    (select jsonb_agg(d) from (select domain, n from g where reason is null order by n desc limit 20) d) as domains`;

const caller = (organization: Organization) => serviceCaller(organization.organizationId, randomUUID());

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]!;

/** A draft to half of the subscribers. @returns its id */
async function draft(organization: Organization): Promise<string> {
  const campaigns = organization.bus.client(campaignTools);
  const content = 'Hello\n\n[Leave]({{unsubscribeUrl}})';
  const mail = { subject: 'Hello', contentType: 'MARKDOWN' as const, content };
  const { campaignId } = await campaigns.create_campaign(mail, caller(organization));
  const filters = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['half'] }];
  await campaigns.update_campaign_filters({ campaignId, filters }, caller(organization));
  return campaignId;
}

/** Milliseconds (median) of preview_send through the services, and of the statement by hand; both numbers agree. */
export async function measurePreview(organization: Organization): Promise<{ preview: number; byHand: number }> {
  const { uuid, copied, sql, bus } = organization;
  const campaignId = await draft(organization);
  const report = bus.client(campaignReportTools);
  const taken = { preview: [] as number[], byHand: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    let [previewed, counted] = [0, 0];
    const preview = await timed(async () => {
      previewed = (await report.preview_send({ campaignId }, caller(organization))).recipientCount;
    });
    const hand = await timed(async () => {
      const { rows } = await sql.query<{ total: string }>(byHand, [uuid, copied.tagUuid]);
      counted = Number(rows[0]!.total);
    });
    if (previewed !== counted) throw new Error(`preview_send counts ${previewed}, the statement ${counted}`);
    if (round === 0) continue;
    taken.preview.push(preview);
    taken.byHand.push(hand);
  }
  return { preview: median(taken.preview), byHand: median(taken.byHand) };
}

/** Milliseconds (median and 95th percentile) of explain for a campaign and for a segment, over many subscribers. */
export async function measureExplain(
  organization: Organization,
): Promise<{ name: string; median: number; p95: number }[]> {
  const { bus, copied, size } = organization;
  const campaignId = await draft(organization);
  const filters = [
    { type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['half'] },
    { type: 'FIELD', fieldName: 'number', operator: 'EQUALS', value: '42' },
    { type: 'EVENT', field: 'EMAIL_OPENED', operator: 'HAPPENED', inLastDays: 30, minCount: 2 },
  ];
  const segments = bus.client(segmentTools);
  const { segmentId } = await segments.create_segment({ name: 'Readers', filters }, caller(organization));
  const { explain } = bus.client(explainTools);
  const calls = {
    'a campaign': (subscriberId: string) => explain({ subscriberId, campaignId }, caller(organization)),
    'a segment': (subscriberId: string) => explain({ subscriberId, segmentId }, caller(organization)),
    // Other load of the machine affects this call of one statement alike.
    get_subscriber: (subscriberId: string) => organization.life.get_subscriber({ subscriberId }, caller(organization)),
  };
  const taken = new Map(Object.keys(calls).map((name) => [name, [] as number[]]));
  for (let round = 0; round < explained; round++) {
    const subscriberId = wireId('sub', copied.uuidAt((round * 7919) % size));
    for (const [name, call] of Object.entries(calls)) taken.get(name)!.push(await timed(() => call(subscriberId)));
  }
  return [...taken].map(([name, all]) => ({ name, median: median(all), p95: percentile(all, 0.95) }));
}
