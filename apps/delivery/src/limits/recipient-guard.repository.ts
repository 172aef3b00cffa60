import { uuidOf } from '#database';
import type { Sql } from '#database';

/**
 * The recipient guard (API text, Sending) limits how many messages one organization sends to one mailbox in 10 minutes
 * and in 24 hours. It counts every message accepted for a real mailbox; test addresses are exempt.
 */
export const recipientGuard = { short: { minutes: 10, messages: 5 }, long: { hours: 24, messages: 20 } } as const;

const { short, long } = recipientGuard;

/** When a mailbox was written to, at most as many instants as the long limit, in order; `g` is its row. */
const recent = `select t from unnest(g.sent_at) t where t > clock_timestamp() - interval '${long.hours} hours'`;

/**
 * SQL: counts one message for each mailbox below its limits, and returns those mailboxes. One atomic upsert a mailbox,
 * so that parallel calls never overshoot; callers pass the mailboxes in order.
 * @param mailboxes a query of (organization_id, mailbox), each mailbox once, sorted
 */
export const takeGuardSql = (mailboxes: string): string => `
  insert into recipient_guard as g (organization_id, mailbox, sent_at)
  select organization_id, mailbox, array[clock_timestamp()] from (${mailboxes}) taking
  on conflict (organization_id, mailbox) do update set sent_at = array(${recent} order by t) || clock_timestamp()::timestamptz(3)
  where (select count(*) < ${long.messages} and count(*) filter (where t > clock_timestamp() - interval '${short.minutes} minutes') < ${short.messages}
    from (${recent}) lately)
  returning organization_id, mailbox`;

/**
 * SQL: when a mailbox that was refused may get its next message: the later of both windows' ends.
 * @param organization expression of the organization
 * @param mailbox expression of the mailbox
 */
export const guardOpensSql = (organization: string, mailbox: string): string => `coalesce((
  select greatest(
    (select t + interval '${short.minutes} minutes' from unnest(g.sent_at) t order by t desc offset ${short.messages - 1} limit 1),
    (select t + interval '${long.hours} hours' from unnest(g.sent_at) t order by t desc offset ${long.messages - 1} limit 1),
    clock_timestamp() + interval '1 second')
  from recipient_guard g where g.organization_id = ${organization} and g.mailbox = ${mailbox}), clock_timestamp() + interval '${short.minutes} minutes')`;

export class RecipientGuardRepository {
  constructor(private readonly sql: Sql) {}

  async isOpen(organizationId: string, mailbox: string): Promise<boolean> {
    const rows: { open: boolean }[] = await this.sql.query(
      `select (select count(*) < ${long.messages} and count(*) filter (where t > clock_timestamp() - interval '${short.minutes} minutes') < ${short.messages}
         from (${recent}) lately) as open from recipient_guard g where organization_id = $1 and mailbox = $2`,
      [uuidOf('org', organizationId), mailbox],
    );
    return rows[0]?.open ?? true;
  }

  /** Deletes mailboxes without a message within the long window, at most 10,000 at a time. @returns how many */
  async deleteOld(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with gone as (delete from recipient_guard where ctid in (
         select ctid from recipient_guard where sent_at[cardinality(sent_at)] < clock_timestamp() - interval '${long.hours} hours' limit 10000)
       returning 1) select count(*)::int as n from gone`,
    );
    return rows[0]!.n;
  }
}
