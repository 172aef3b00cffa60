import { uuidOf } from '#database';
import type { Sql } from '#database';
import { subscribedMetric, unsubscribedMetric } from '../subscriber/subscriber-change.service.js';

/**
 * Numbers of subscribers by the UTC day of their last engagement (open or click), or last email; a trigger keeps both.
 */
const engagedMetric = 'engaged';
const emailedMetric = 'emailed';

export interface Engagement {
  engaged30: number;
  engaged90: number;
  engaged180: number;
  everEngaged: number;
  everEmailed: number;
}

/** Reads an organization's numbers from kept counts; no statement scans subscribers or their history. */
export class AnalyticsRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Days of a zone without subscriptions and unsubscriptions are left out.
   * @param from first day, YYYY-MM-DD
   * @param zone IANA name
   */
  async listGrowth(
    organizationId: string,
    { from, zone }: { from: string; zone: string },
  ): Promise<{ date: string; subscribed: number; unsubscribed: number }[]> {
    // Counts are kept per quarter of an hour in UTC: a day of any time zone begins and ends with one.
    return await this.sql.query(
      `select to_char((day + key::time) at time zone 'UTC' at time zone $2, 'YYYY-MM-DD') as date,
         coalesce(sum(n) filter (where metric = $4), 0)::int as subscribed,
         coalesce(sum(n) filter (where metric = $5), 0)::int as unsubscribed
       from (${counts('metric in ($4, $5) and day >= $3::date - 1')}) c group by 1`,
      [uuidOf('org', organizationId), zone, from, subscribedMetric, unsubscribedMetric],
    );
  }

  /** @param today YYYY-MM-DD in UTC, which counts as the first of the days */
  async getEngagement(organizationId: string, today: string): Promise<Engagement> {
    const since = (days: number) => `coalesce(sum(n) filter (where metric = $3 and day > $2::date - ${days}), 0)::int`;
    const rows: Engagement[] = await this.sql.query(
      `select ${since(30)} as "engaged30", ${since(90)} as "engaged90", ${since(180)} as "engaged180",
         coalesce(sum(n) filter (where metric = $3), 0)::int as "everEngaged",
         coalesce(sum(n) filter (where metric = $4), 0)::int as "everEmailed"
       from (${counts('metric in ($3, $4)')}) c`,
      [uuidOf('org', organizationId), today, engagedMetric, emailedMetric],
    );
    return rows[0]!;
  }

  async getResources(organizationId: string): Promise<{ tags: number; segments: number; customFields: number }> {
    const rows: { tags: number; segments: number; customFields: number }[] = await this.sql.query(
      `select (select count(*)::int from tag where organization_id = $1 and deleted_at is null) as tags,
         (select count(*)::int from segment where organization_id = $1) as segments,
         (select count(*)::int from custom_field where organization_id = $1 and deleted_at is null) as "customFields"`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!;
  }
}

const counts = (condition: string) =>
  ['tally', 'tally_delta']
    .map((table) => `select metric, key, day, n from ${table} where organization_id = $1 and ${condition}`)
    .join(' union all ');
