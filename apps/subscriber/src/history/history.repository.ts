import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { literalInPattern } from '../text/text.js';
import type { HistoryEntry } from './history.js';
import { historyRows } from './history-tables.js';

export interface HistoryLine {
  id: string;
  type: string;
  data: Record<string, unknown>;
  createdAt: string;
}

export interface Place {
  /** ISO 8601, UTC. */
  at: string;
  id: string;
}

/** Selects a part of a history; null or an empty list selects all, and both ends of the time are included. */
export interface HistorySelection {
  types: readonly string[];
  from: string | null;
  to: string | null;
  /** In types and data, in any case. */
  search: string | null;
}

export interface HistoryPage extends HistorySelection {
  order: 'ASC' | 'DESC';
  limit: number;
  after: Place | null;
}

const countedMax = 10_000;
const lineColumns = 'event_id, type, data, created_at';

const insertSql = `insert into subscriber_event (created_at, organization_id, event_id, subscriber_id, type, campaign_id, data)
  select greatest(coalesce(u.at, $3), date_trunc('month', clock_timestamp()) - interval '1 month'), $1, u.id, u.person, u.type, u.campaign, u.data
  from jsonb_to_recordset($2::jsonb) u(at timestamptz, id uuid, person uuid, type text, campaign uuid, data jsonb)`;
const insertExistingSql = `${insertSql}
  join subscriber s on s.organization_id = $1 and s.subscriber_id = u.person`;

export class HistoryRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Adds entries in their order, in one statement. Entries older than the oldest partition are stored at its start;
   * those of deleted subscribers are left out.
   * @param locked the caller's transaction has inserted or locked all subscribers, so that none is looked up
   * @returns the id of each entry, in the same order
   */
  async insert(
    organizationId: string,
    entries: readonly HistoryEntry[],
    { locked = false }: { locked?: boolean | undefined } = {},
  ): Promise<string[]> {
    if (entries.length === 0) return [];
    const ids = entries.map(newUuid);
    const uuids = new Map(
      [...new Set(entries.map(({ subscriberId }) => subscriberId))].map((id) => [id, uuidOf('sub', id)]),
    );
    // As one JSON value: arrays of JSON texts would be escaped twice, which costs more than the insert.
    const [{ at: usual }] = entries as [HistoryEntry];
    const rows = entries.map(({ subscriberId, type, data, at, campaignId }, i) => ({
      id: ids[i],
      at: at === usual ? undefined : at,
      person: uuids.get(subscriberId),
      type,
      data,
      campaign: campaignId ? uuidOf('cmp', campaignId) : undefined,
    }));
    const statement = locked ? insertSql : insertExistingSql;
    await this.sql.query(statement, [uuidOf('org', organizationId), JSON.stringify(rows), usual]);
    return ids;
  }

  /** A subscriber's history, newest first; `total` stops at 10,000. */
  async list(
    organizationId: string,
    subscriberId: string,
    { type, limit }: { type: string | null; limit: number },
  ): Promise<{ events: HistoryLine[]; total: number; totalIsMinimum?: true }> {
    const key = [uuidOf('org', organizationId), uuidOf('sub', subscriberId), type];
    const types = type === null ? null : [type];
    const where = 'where organization_id = $1 and subscriber_id = $2 and ($3::text is null or type = $3)';
    const order = 'order by created_at desc, event_id desc limit $4';
    const rows: LineRow[] = await this.sql.query(
      `select ${lineColumns} from (${historyRows(lineColumns, types, `${where} ${order}`)}) u ${order}`,
      [...key, limit],
    );
    const counted: { n: number }[] =
      rows.length < limit
        ? [{ n: rows.length }]
        : await this.sql.query(
            `select count(*)::int as n from (${historyRows('1', types, `${where} limit ${countedMax + 1}`)}) e`,
            key,
          );
    const total = Math.min(counted[0]!.n, countedMax);
    return {
      events: rows.map(lineOf),
      total,
      ...(counted[0]!.n > countedMax && { totalIsMinimum: true }),
    };
  }

  async hasLeftBy(organizationId: string, subscriberId: string, campaignId: string): Promise<boolean> {
    const [row]: { has_left: boolean }[] = await this.sql.query(
      `select exists (select from subscriber_event
         where organization_id = $1 and subscriber_id = $2 and type = 'UNSUBSCRIBED' and campaign_id = $3) as has_left`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), uuidOf('cmp', campaignId)],
    );
    return row!.has_left;
  }

  /** Counts the selected entries by type; counting stops at 10,000. */
  async countByType(
    organizationId: string,
    subscriberId: string,
    selection: HistorySelection,
  ): Promise<{ counts: Record<string, number>; countsAreMinimum?: true }> {
    const { params, conditions } = conditionsOf(organizationId, subscriberId, selection);
    const rows: { type: string; n: number }[] = await this.sql.query(
      `select type, count(*)::int as n from (
         select type from (${historyRows('type', selection.types, `where ${conditions.join(' and ')} limit ${countedMax}`)}) u
         limit ${countedMax}) e group by type order by type`,
      params,
    );
    const counted = rows.reduce((sum, { n }) => sum + n, 0);
    return {
      counts: Object.fromEntries(rows.map(({ type, n }) => [type, n])),
      ...(counted === countedMax && { countsAreMinimum: true as const }),
    };
  }

  /** A page of a subscriber's history in the order of time; lines of one moment in that of their ids. */
  async listPage(
    organizationId: string,
    subscriberId: string,
    { order, limit, after, ...selection }: HistoryPage,
  ): Promise<HistoryLine[]> {
    const { params, conditions } = conditionsOf(organizationId, subscriberId, selection);
    if (after) {
      const place = `($${params.push(after.at)}::timestamptz, $${params.push(uuidOf('evt', after.id))}::uuid)`;
      conditions.push(`(created_at, event_id) ${order === 'ASC' ? '>' : '<'} ${place}`);
    }
    const way = order === 'ASC' ? 'asc' : 'desc';
    const end = `order by created_at ${way}, event_id ${way} limit $${params.push(limit)}`;
    const rows: LineRow[] = await this.sql.query(
      `select ${lineColumns} from (${historyRows(lineColumns, selection.types, `where ${conditions.join(' and ')} ${end}`)}) u ${end}`,
      params,
    );
    return rows.map(lineOf);
  }
}

function conditionsOf(
  organizationId: string,
  subscriberId: string,
  { types, from, to, search }: HistorySelection,
): { params: unknown[]; conditions: string[] } {
  const params: unknown[] = [uuidOf('org', organizationId), uuidOf('sub', subscriberId)];
  const conditions = ['organization_id = $1 and subscriber_id = $2'];
  if (types.length > 0) conditions.push(`type = any($${params.push(types)}::text[])`);
  if (from) conditions.push(`created_at >= $${params.push(from)}`);
  if (to) conditions.push(`created_at <= $${params.push(to)}`);
  if (search) {
    const pattern = `lower($${params.push(`%${literalInPattern(search)}%`)})`;
    conditions.push(`(lower(type) like ${pattern} or lower(data::text) like ${pattern})`);
  }
  return { params, conditions };
}

interface LineRow {
  event_id: string;
  type: string;
  data: Record<string, unknown>;
  created_at: Date;
}
/** `suppression` of a bounce is kept for the review of suppressions; the API text has no such field. */
function lineOf({ event_id, type, data, created_at }: LineRow): HistoryLine {
  const { suppression: _, ...shown } = data;
  return {
    id: wireId('evt', event_id),
    type,
    data: type === 'EMAIL_BOUNCED' ? shown : data,
    createdAt: created_at.toISOString(),
  };
}
