import { seriesCounters } from '#contracts';
import type { EngagementKind, SeriesCounter, SeriesCounts } from '#contracts';
import { prepared, uuidOf } from '#database';
import type { Sql } from '#database';
import type { HourCounts } from '#time-series';

/** Days for which hours are kept: those of the longest series, and the day that a time zone may add. */
export const engagementDays = 400;

export interface EngagementAddition {
  organizationId: string;
  kind: EngagementKind;
  hour: string;
  counts: Partial<SeriesCounts>;
}

const columnOf: Record<SeriesCounter, string> = {
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
const columns = seriesCounters.map((counter) => columnOf[counter]);

export class EngagementRepository {
  constructor(private readonly sql: Sql) {}

  /** Adds what a lane's events say; rows are written in key order to avoid deadlocks. */
  async upsert(lane: number, additions: readonly EngagementAddition[]): Promise<void> {
    if (additions.length === 0) return;
    await this.sql.query(upsertSql, [
      lane,
      additions.map(({ organizationId }) => uuidOf('org', organizationId)),
      additions.map(({ hour }) => hour),
      additions.map(({ kind }) => kind),
      ...seriesCounters.map((counter) => additions.map(({ counts }) => counts[counter] ?? 0)),
    ]);
  }

  /** Lists the numbers by hour from an instant on, oldest first. @param kind null for mail of every kind */
  async listHours(organizationId: string, kind: EngagementKind | null, since: Date): Promise<HourCounts[]> {
    const sums = seriesCounters.map((counter) => `sum(${columnOf[counter]})::float8 as "${counter}"`).join(', ');
    return await this.sql.query(
      `select extract(epoch from hour)::float8 * 1000 as hour, ${sums} from engagement_hour
       where organization_id = $1 and ($2::text is null or kind = $2) and hour >= $3 group by engagement_hour.hour order by 1`,
      [uuidOf('org', organizationId), kind, since],
    );
  }

  /** Returns whether a mail with this id is a campaign; else it is an email of a workflow. */
  async isCampaign(organizationId: string, campaignId: string): Promise<boolean> {
    const rows: { campaign: boolean }[] = await this.sql.query(
      `select pages > 0 as campaign from send where organization_id = $1 and campaign_id = $2 order by send_id desc limit 1`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId)],
    );
    return rows[0]?.campaign ?? true;
  }

  async deleteOld(): Promise<number> {
    const [, count]: [unknown[], number] = await this.sql.query(
      `delete from engagement_hour where (organization_id, hour, kind, lane) in (
         select organization_id, hour, kind, lane from engagement_hour
         where hour < clock_timestamp() - interval '${engagementDays + 2} days' limit 5000)`,
    );
    return count;
  }
}

const upsertSql = prepared(
  'count engagement',
  `insert into engagement_hour as s (organization_id, hour, kind, lane, ${columns.join(', ')})
   select o, hour, kind, $1, ${columns.map((column) => `sum(${column})`).join(', ')}
   from unnest($2::uuid[], $3::timestamptz[], $4::text[], ${columns.map((_, at) => `$${at + 5}::bigint[]`).join(', ')})
     u(o, hour, kind, ${columns.join(', ')}) group by o, hour, kind order by o, hour, kind
   on conflict (organization_id, hour, kind, lane) do update set ${columns.map((column) => `${column} = s.${column} + excluded.${column}`).join(', ')}`,
);
