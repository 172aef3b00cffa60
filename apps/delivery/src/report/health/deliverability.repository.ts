import { isMessageByPosition, positionOf, prepared, slotOf, uuidOf } from '#database';
import type { Sql } from '#database';
import type { SentContent } from './deliverability-signals.js';
import { earlyResultsMax } from './deliverability.js';
import type { DeliverabilityCounts } from './deliverability.js';

export interface DeliverabilityAddition extends DeliverabilityCounts {
  organizationId: string;
  /** YYYY-MM-DD in UTC. */
  day: string;
}

/** Messages of a send by their slots, both included. */
export type SlotRange = readonly [from: number, to: number];

/** What events say of one campaign's results; ids as on the wire. */
export interface EarlyResultsAddition {
  organizationId: string;
  campaignId: string;
  results: number;
  /** Messages of these results that were reported one by one. */
  sentIds: string[];
  /** Messages of these results that were settled in groups. */
  sentSlots: SlotRange[];
  /** Messages that bounced or were reported as spam, now or later. */
  troubles: { messageId: string; bounced: number; complained: number }[];
}

export interface EarlyResults {
  organizationId: string;
  campaignId: string;
  results: number;
  bounced: number;
  complained: number;
  total: number;
}

/**
 * SQL: of a campaign's troubles, those of its early results. Ids by position are kept by their slots; others are in the
 * order of time.
 */
const troublesOf = (what: 'bounced' | 'complained') => `(
  select coalesce(sum(x.${what}), 0) from trouble x
  where x.c = t.campaign_id and (t.results < ${earlyResultsMax} or x.slot <@ t.slots or x.message <= t.newest_message))`;

const upsertEarlyResultsSql = prepared(
  'add early results',
  `
  with trouble as (
    select * from unnest($6::uuid[], $7::uuid[], $8::int[], $9::int[], $10::int[]) x(c, message, slot, bounced, complained)),
  added as (
    select a.*, s.total, x.bounced, x.complained
    from unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[], $5::int4multirange[]) with ordinality a(o, c, results, newest, slots, n)
    cross join lateral (select total from send s where s.organization_id = o and s.campaign_id = c and s.finished_at is null
      and s.state = 'RUNNING' limit 1) s
    cross join lateral (
      select coalesce(sum(bounced), 0)::int as bounced, coalesce(sum(complained), 0)::int as complained from trouble where trouble.c = a.c) x),
  kept as (
    insert into send_trial as t (organization_id, campaign_id, results, newest_message, slots, bounced, complained)
    select o, c, results, newest, slots, bounced, complained from added order by o, c
    on conflict (organization_id, campaign_id) do update set
      results = t.results + case when t.results < ${earlyResultsMax} then excluded.results else 0 end,
      newest_message = case when t.results < ${earlyResultsMax} then greatest(t.newest_message, excluded.newest_message) else t.newest_message end,
      slots = case when t.results < ${earlyResultsMax} then coalesce(t.slots + excluded.slots, t.slots, excluded.slots) else t.slots end,
      bounced = t.bounced + ${troublesOf('bounced')}, complained = t.complained + ${troublesOf('complained')}
    where t.paused_at is null and (t.results < ${earlyResultsMax} or excluded.bounced + excluded.complained > 0)
    returning t.*)
  select a.n::int as n, a.total, k.results, k.bounced, k.complained from kept k join added a on a.o = k.organization_id and a.c = k.campaign_id`,
);

export class DeliverabilityRepository {
  constructor(private readonly sql: Sql) {}

  /** Adds the counts of a lane's events; one process at a time reads a lane. */
  async upsert(lane: number, additions: readonly DeliverabilityAddition[]): Promise<void> {
    if (additions.length === 0) return;
    await this.sql.query(
      `insert into health_day as h (organization_id, day, lane, sent, delivered, bounced, complained)
       select o, d, $1, sum(sent), sum(delivered), sum(bounced), sum(complained)
       from unnest($2::uuid[], $3::date[], $4::int[], $5::int[], $6::int[], $7::int[]) u(o, d, sent, delivered, bounced, complained)
       group by o, d order by o, d
       on conflict (organization_id, day, lane) do update set sent = h.sent + excluded.sent, delivered = h.delivered + excluded.delivered,
         bounced = h.bounced + excluded.bounced, complained = h.complained + excluded.complained`,
      [
        lane,
        additions.map(({ organizationId }) => uuidOf('org', organizationId)),
        additions.map(({ day }) => day),
        additions.map(({ sent }) => sent),
        additions.map(({ delivered }) => delivered),
        additions.map(({ bounced }) => bounced),
        additions.map(({ complained }) => complained),
      ],
    );
  }

  async count(organizationId: string, from: string | null): Promise<DeliverabilityCounts> {
    const rows: DeliverabilityCounts[] = await this.sql.query(
      `select coalesce(sum(sent), 0)::float8 as sent, greatest(0, coalesce(sum(delivered), 0))::float8 as delivered,
         coalesce(sum(bounced), 0)::float8 as bounced, coalesce(sum(complained), 0)::float8 as complained
       from health_day where organization_id = $1 and day >= coalesce($2::date, '-infinity')`,
      [uuidOf('org', organizationId), from],
    );
    return rows[0]!;
  }

  /**
   * Adds the first results of running campaigns, and what comes back of these however late.
   * @returns those that are on trial still, with all that is known of it
   */
  async upsertEarlyResults(additions: readonly EarlyResultsAddition[]): Promise<EarlyResults[]> {
    if (additions.length === 0) return [];
    const troubles = additions.flatMap(({ campaignId, troubles: own }) =>
      own.map((one) => ({ ...one, campaign: uuidOf('cmp', campaignId), message: uuidOf('msg', one.messageId)! })),
    );
    const rows: (Omit<EarlyResults, 'organizationId' | 'campaignId'> & { n: number })[] = await this.sql.query(
      upsertEarlyResultsSql,
      [
        additions.map(({ organizationId }) => uuidOf('org', organizationId)),
        additions.map(({ campaignId }) => uuidOf('cmp', campaignId)),
        additions.map(({ results }) => results),
        additions.map(newestOf),
        additions.map(slotsOf),
        troubles.map(({ campaign }) => campaign),
        troubles.map(({ message }) => (isMessageByPosition(message) ? null : message)),
        troubles.map(({ message }) => (isMessageByPosition(message) ? slotOfMessage(message) : null)),
        troubles.map(({ bounced }) => bounced),
        troubles.map(({ complained }) => complained),
      ],
    );
    return rows.map(({ n, ...early }) => {
      const { organizationId, campaignId } = additions[n - 1]!;
      return { organizationId, campaignId, ...early };
    });
  }

  /** Pauses a campaign with bad early results; a later check finds that it was decided. */
  async updatePaused({ organizationId, campaignId }: EarlyResults, reason: string): Promise<void> {
    await this.sql.query(
      `with judged as (
         update send_trial set paused_at = clock_timestamp() where organization_id = $1 and campaign_id = $2 and paused_at is null
         returning campaign_id)
       update send s set state = 'PAUSED', paused_reason = $3, waiting_for = null from judged j
       where s.organization_id = $1 and s.campaign_id = j.campaign_id and s.state = 'RUNNING' and s.finished_at is null`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId), reason],
    );
  }

  async listContents(organizationId: string, limit: number): Promise<SentContent[]> {
    const rows: { campaign_name: string; template: SentContent['template'] }[] = await this.sql.query(
      `select campaign_name, template from send where organization_id = $1 and not template ? 'expired' order by send_id desc limit $2`,
      [uuidOf('org', organizationId), limit],
    );
    return rows.map((row) => ({ campaignName: row.campaign_name, template: row.template }));
  }
}

const slotOfMessage = (messageUuid: string): number => {
  const { chunk, position } = positionOf(messageUuid);
  return slotOf(chunk, position);
};

/** The newest of the messages whose ids ascend with time; null without one. */
function newestOf({ sentIds }: EarlyResultsAddition): string | null {
  const uuids = sentIds.map((id) => uuidOf('msg', id)!).filter((uuid) => !isMessageByPosition(uuid));
  return uuids.sort().at(-1) ?? null;
}

/** An int4multirange of the messages with ids by position; null without one. */
function slotsOf({ sentIds, sentSlots }: EarlyResultsAddition): string | null {
  const single = sentIds
    .map((id) => uuidOf('msg', id)!)
    .filter(isMessageByPosition)
    .map((uuid): SlotRange => [slotOfMessage(uuid), slotOfMessage(uuid)]);
  const ranges = [...sentSlots, ...single].map(([from, to]) => `[${from},${to}]`);
  return ranges.length === 0 ? null : `{${ranges.join(',')}}`;
}
