import { seriesCounters } from '#contracts';
import type { SeriesCounter } from '#contracts';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import type { HourCounts } from '#time-series';
import { counters } from './campaign-counters.js';
import type { Addition, CampaignNumbers, Counter } from './campaign-counters.js';

const columns = counters.join(', ');
const zeros = Object.fromEntries(counters.map((counter) => [counter, 0])) as Record<Counter, number>;
const added = counters.map((counter) => `${counter} = s.${counter} + excluded.${counter}`).join(', ');

const hourColumn: Record<SeriesCounter, string> = {
  sent: 'sent',
  delivered: 'delivered',
  bounced: 'bounced',
  complained: 'complained',
  unsubscribed: 'unsubscribed',
  opens: 'opens',
  uniqueOpens: 'unique_opens',
  clicks: 'clicks',
  uniqueClicks: 'unique_clicks',
};
const hourColumns = seriesCounters.map((counter) => hourColumn[counter]);

interface Hour {
  /** Seconds since the epoch. */
  hour: number;
  opens: number;
  clicks: number;
}

/** A campaign's numbers, one row per event lane: only the process that reads the lane writes its rows. */
export class CampaignCounterRepository {
  constructor(private readonly sql: Sql) {}

  /** Adds the changes of a lane's events; rows are written in key order to avoid deadlocks. */
  async upsert(lane: number, all: readonly Addition[]): Promise<void> {
    // Workflow messages carry the id of their email, which has no numbers here.
    const additions = all.filter(({ campaignId }) => campaignId.startsWith('cmp_'));
    if (additions.length === 0) return;
    const sums = sumsOf(additions);
    await this.sql.query(
      `insert into campaign_stat as s (organization_id, campaign_id, lane, ${columns})
       select o, c, $1, ${columns} from unnest($2::uuid[], $3::uuid[], ${counters.map((_, at) => `$${at + 4}::bigint[]`).join(', ')})
         u(o, c, ${columns}) order by o, c
       on conflict (organization_id, campaign_id, lane) do update set ${added}`,
      [lane, ...keysOf(sums), ...counters.map((counter) => sums.map(({ counts }) => counts[counter]))],
    );
    await this.#upsertHours(
      lane,
      additions.filter(({ hour }) => hour !== null),
    );
    await this.#upsertLinks(
      lane,
      additions.filter(({ link }) => link !== null),
    );
  }

  async get(organizationId: string, campaignId: string): Promise<CampaignNumbers> {
    const rows: { counts: Record<Counter, number>; links: CampaignNumbers['links'] | null; hours: Hour[] | null }[] =
      await this.sql.query(
        `select (select jsonb_build_object(${counters.map((counter) => `'${counter}', coalesce(sum(${counter}), 0)`).join(', ')})
             from campaign_stat where organization_id = $1 and campaign_id = $2) as counts,
           (select jsonb_agg(to_jsonb(l)) from (
             select min(url) as url, sum(unique_clicks) as "unique", sum(clicks) as total from campaign_link
             where organization_id = $1 and campaign_id = $2 group by url_hash order by sum(clicks) desc, 1 limit 1000) l) as links,
           (select jsonb_agg(to_jsonb(h)) from (
             select extract(epoch from hour)::bigint as hour, sum(opens) as opens, sum(clicks) as clicks from campaign_hour
             where organization_id = $1 and campaign_id = $2 group by campaign_hour.hour having sum(opens) + sum(clicks) > 0
             order by 1) h) as hours`,
        [uuidOf('org', organizationId), uuidOf('cmp', campaignId)],
      );
    const { counts, links, hours } = rows[0]!;
    const timeline = (hours ?? []).map((one) => ({ ...one, hour: new Date(one.hour * 1000).toISOString() }));
    return { counts, links: links ?? [], timeline };
  }

  /** Lists the numbers of a campaign by hour, oldest first; hours before the upgrade have opens and clicks alone. */
  async listHours(organizationId: string, campaignId: string): Promise<HourCounts[]> {
    const sums = seriesCounters.map((counter) => `sum(${hourColumn[counter]})::float8 as "${counter}"`).join(', ');
    return await this.sql.query(
      `select extract(epoch from hour)::float8 * 1000 as hour, ${sums} from campaign_hour
       where organization_id = $1 and campaign_id = $2 group by campaign_hour.hour order by 1`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId)],
    );
  }

  async #upsertHours(lane: number, additions: readonly Addition[]): Promise<void> {
    if (additions.length === 0) return;
    await this.sql.query(
      `insert into campaign_hour as s (organization_id, campaign_id, hour, lane, ${hourColumns.join(', ')})
       select o, c, hour, $1, ${hourColumns.map((column) => `sum(${column})`).join(', ')}
       from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], ${hourColumns.map((_, at) => `$${at + 5}::bigint[]`).join(', ')})
         u(o, c, hour, ${hourColumns.join(', ')}) group by o, c, hour order by o, c, hour
       on conflict (organization_id, campaign_id, hour, lane) do update set ${hourColumns.map((column) => `${column} = s.${column} + excluded.${column}`).join(', ')}`,
      [
        lane,
        ...keysOf(additions),
        additions.map(({ hour }) => hour!.at),
        ...seriesCounters.map((counter) => additions.map(({ hour }) => hour!.counts[counter] ?? 0)),
      ],
    );
  }

  async #upsertLinks(lane: number, additions: readonly Addition[]): Promise<void> {
    if (additions.length === 0) return;
    await this.sql.query(
      `insert into campaign_link as s (organization_id, campaign_id, url_hash, lane, url, clicks, unique_clicks)
       select o, c, sha256(convert_to(url, 'UTF8')), $1, url, count(*), sum(first) from unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[])
         u(o, c, url, first) group by o, c, url order by o, c, 3
       on conflict (organization_id, campaign_id, url_hash, lane) do update set clicks = s.clicks + excluded.clicks,
         unique_clicks = s.unique_clicks + excluded.unique_clicks`,
      [
        lane,
        ...keysOf(additions),
        additions.map(({ link }) => link!.url),
        additions.map(({ link }) => Number(link!.first)),
      ],
    );
  }
}

/** Sums the changes of each campaign: a running send adds hundreds to one. */
function sumsOf(additions: readonly Addition[]) {
  const sums = new Map<string, Pick<Addition, 'organizationId' | 'campaignId'> & { counts: Record<Counter, number> }>();
  for (const { organizationId, campaignId, counts } of additions) {
    const key = `${organizationId} ${campaignId}`;
    const sum = sums.get(key) ?? { organizationId, campaignId, counts: { ...zeros } };
    sums.set(key, sum);
    for (const counter of counters) sum.counts[counter] += counts[counter] ?? 0;
  }
  return [...sums.values()];
}

const keysOf = (additions: readonly Pick<Addition, 'organizationId' | 'campaignId'>[]) => [
  additions.map(({ organizationId }) => uuidOf('org', organizationId)),
  additions.map(({ campaignId }) => uuidOf('cmp', campaignId)),
];
