import type { SendProgress } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { SendLayoutRepository } from '../message/send-layout.repository.js';
import { pendingOf } from './progress.js';
import type { SendCounts } from './progress.js';
import type { SendState } from './send.js';

/** Window of a send's rate, in seconds: the messages accepted within it count. */
const rateSeconds = 5;

const windowBegin = `clock_timestamp() - make_interval(secs => ${rateSeconds})`;

/** SQL by layout: the number of messages of `s`, the send `$2`, that were accepted within the window. */
const acceptedSql = [
  `select count(*) from message m where m.period = s.period and m.organization_id = s.organization_id and m.send_id = s.send_id
     and m.message_id >= uuid_floor(${windowBegin}) and m.accepted_at is not null`,
  `select count(*) from send_page p, lateral (
     select from campaign_message m where m.message_id between message_at(s.send_id, p.page_no, 0) and message_at(s.send_id, p.page_no, 1023)
       and m.message_id between $2 and last_message_of($2) and m.organization_id = s.organization_id
       and m.attempted_at >= ${windowBegin} and m.state in ('S', 'D', 'B', 'C')) m
   where p.organization_id = s.organization_id and p.send_id = s.send_id and p.settled_at >= ${windowBegin}`,
];

export interface CountsRow {
  sent: number;
  delivered: number;
  bounced: number;
  failed: number;
  deferred: number;
  in_doubt: number;
  skipped: Record<string, number>;
}

interface ProgressRow extends CountsRow {
  campaign_id: string;
  state: SendState;
  paused_reason: string | null;
  waiting_for: string | null;
  relay_trouble: string | null;
  hold_reason: string | null;
  total: number;
  started_at: Date;
  finished_at: Date | null;
  recent: number;
}

/** The counters of the chunks of one send, or their totals; `$1` organization, `$2` send. */
export const chunkCountsSql = `
  select coalesce(sum(sent), 0)::int as sent, coalesce(sum(delivered), 0)::int as delivered, coalesce(sum(bounced), 0)::int as bounced,
    coalesce(sum(failed), 0)::int as failed, coalesce(sum(deferred), 0)::int as deferred, coalesce(sum(in_doubt), 0)::int as in_doubt,
    coalesce((select jsonb_object_agg(reason, n) from (
      select e.key as reason, sum(e.value::int) as n from send_page q, jsonb_each_text(q.skipped) e
      where q.organization_id = $1 and q.send_id = $2 group by e.key having sum(e.value::int) <> 0) r), '{}') as skipped
  from send_page where organization_id = $1 and send_id = $2`;

export const countsOf = (row: CountsRow): SendCounts => ({
  sent: row.sent,
  delivered: row.delivered,
  bounced: row.bounced,
  failed: row.failed,
  deferred: row.deferred,
  inDoubt: row.in_doubt,
  skipped: row.skipped,
});

const heldText = ({ hold_reason: reason }: ProgressRow): string | null =>
  reason === null ? null : `All mail is held (${reason}). It goes on after \`tidings mail release\`.`;

export class ProgressRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * The rate reads ids, since they hold the time of the attempt. Ids by position do not: there it reads the chunks with
   * results within the window.
   * @returns null for an unknown send
   */
  async find(organizationId: string, sendId: string): Promise<SendProgress | null> {
    const layout = await new SendLayoutRepository(this.sql).find(organizationId, sendId);
    const rows: ProgressRow[] = await this.sql.query(
      `select s.campaign_id, s.state, s.paused_reason, s.waiting_for, s.total, s.started_at, s.finished_at, c.*,
         (select reason from destination where name = 'relay' and backoff_until > clock_timestamp() - interval '1 minute') as relay_trouble,
         (select reason from mail_hold) as hold_reason,
         case when s.finished_at is not null then 0 else (
           ${acceptedSql[layout]})
           / greatest(1, least(${rateSeconds}, extract(epoch from clock_timestamp() - s.started_at))) end::float8 as recent
       from send s, (${chunkCountsSql}) c where s.organization_id = $1 and s.send_id = $2`,
      [uuidOf('org', organizationId), uuidOf('send', sendId)],
    );
    const row = rows[0];
    if (!row) return null;
    const waits = row.state === 'RUNNING' || row.state === 'STOPPED';
    const counts = countsOf(row);
    return {
      sendId,
      campaignId: wireId('cmp', row.campaign_id),
      state: row.state,
      pausedReason: row.paused_reason,
      total: row.total,
      startedAt: row.started_at.toISOString(),
      finishedAt: row.finished_at?.toISOString() ?? null,
      ratePerSecond: Math.round(row.recent * 10) / 10,
      waitingFor: waits && !row.finished_at ? (heldText(row) ?? row.relay_trouble ?? row.waiting_for) : null,
      ...counts,
      pending: pendingOf(row.total, counts),
    };
  }
}
