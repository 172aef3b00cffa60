import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { HistoryEntry } from './history.js';

export interface HistoryLine {
  id: string;
  type: string;
  data: Record<string, unknown>;
  createdAt: string;
}

/** Counting stops here: a total is for orientation. */
const countedMax = 10_000;

export class HistoryRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Adds lines in their order, in one statement. What happened before the oldest partition is kept at its start; lines of
   * subscribers who are gone are left out.
   * @returns the id of each line, in the same order
   */
  async insert(organizationId: string, entries: readonly HistoryEntry[]): Promise<string[]> {
    if (entries.length === 0) return [];
    const ids = entries.map(newUuid);
    const uuids = new Map(
      [...new Set(entries.map(({ subscriberId }) => subscriberId))].map((id) => [id, uuidOf('sub', id)]),
    );
    // As one JSON value: arrays of JSON texts would be escaped twice, which costs more than the insert.
    const rows = entries.map(({ subscriberId, type, data, at, campaignId }, i) => ({
      ...{ id: ids[i], at, person: uuids.get(subscriberId), type, data },
      campaign: campaignId ? uuidOf('cmp', campaignId) : null,
    }));
    await this.sql.query(
      `insert into subscriber_event (created_at, organization_id, event_id, subscriber_id, type, campaign_id, data)
       select greatest(u.at, date_trunc('month', clock_timestamp()) - interval '1 month'), $1, u.id, u.person, u.type, u.campaign, u.data
       from jsonb_to_recordset($2::jsonb) u(at timestamptz, id uuid, person uuid, type text, campaign uuid, data jsonb)
       join subscriber s on s.organization_id = $1 and s.subscriber_id = u.person`,
      [uuidOf('org', organizationId), JSON.stringify(rows)],
    );
    return ids;
  }

  /** A subscriber's history, newest first; `total` stops at 10,000. */
  async list(
    organizationId: string,
    subscriberId: string,
    { type, limit }: { type: string | null; limit: number },
  ): Promise<{ events: HistoryLine[]; total: number; totalIsMinimum?: true }> {
    const key = [uuidOf('org', organizationId), uuidOf('sub', subscriberId), type];
    const rows: { event_id: string; type: string; data: Record<string, unknown>; created_at: Date }[] =
      await this.sql.query(
        `select event_id, type, data, created_at from subscriber_event
         where organization_id = $1 and subscriber_id = $2 and ($3::text is null or type = $3)
         order by created_at desc, event_id desc limit $4`,
        [...key, limit],
      );
    const counted: { n: number }[] =
      rows.length < limit
        ? [{ n: rows.length }]
        : await this.sql.query(
            `select count(*)::int as n from (select from subscriber_event
             where organization_id = $1 and subscriber_id = $2 and ($3::text is null or type = $3) limit ${countedMax + 1}) e`,
            key,
          );
    const total = Math.min(counted[0]!.n, countedMax);
    return {
      events: rows.map((row) => ({
        id: wireId('evt', row.event_id),
        type: row.type,
        data: row.data,
        createdAt: row.created_at.toISOString(),
      })),
      total,
      ...(counted[0]!.n > countedMax && { totalIsMinimum: true }),
    };
  }
}
