import type { Sql } from '#database';
import type { MailHold } from '#contracts';
import { ledgerKinds } from '../message/ledger-codes.js';

/**
 * Statements that claim or mark messages include it, so that a committed hold applies to the next statement of every
 * process.
 */
export const mailHeldSql = 'exists (select from mail_hold)';

interface Row {
  held_at: Date;
  reason: string;
  held_by: string;
}

export class MailHoldRepository {
  constructor(private readonly sql: Sql) {}

  /** @returns null when mail is not held */
  async find(): Promise<MailHold | null> {
    const [row]: Row[] = await this.sql.query(`select held_at, reason, held_by from mail_hold`);
    return row ? { since: row.held_at.toISOString(), reason: row.reason, by: row.held_by } : null;
  }

  /** A hold that exists keeps its time; its reason and author are replaced. */
  async upsert(reason: string, by: string): Promise<void> {
    await this.sql.query(
      `insert into mail_hold (reason, held_by) values ($1, $2)
       on conflict (only_row) do update set reason = excluded.reason, held_by = excluded.held_by`,
      [reason, by],
    );
  }

  async delete(): Promise<void> {
    await this.sql.query(`delete from mail_hold`);
  }

  /** Messages that are due now, at most `limit`, and sends with open pages. */
  async countWaiting(limit: number): Promise<{ messages: number; sends: number }> {
    const [row]: { messages: number; sends: number }[] = await this.sql.query(
      `select (select count(*)::int from (
          select from unnest($2::text[], $3::"char"[]) k(kind, letter) cross join lateral (
            (select from message m where m.kind = k.kind and m.due_at <= statement_timestamp() limit $1)
            union all
            (select from message_queue q where q.kind = k.letter and q.state <> 'ATTEMPTING' and q.due_at <= statement_timestamp() limit $1)) w
          limit $1) d) as messages,
         (select count(*)::int from send where finished_at is null and state = 'RUNNING') as sends`,
      [limit, Object.keys(ledgerKinds), Object.values(ledgerKinds)],
    );
    return row!;
  }
}
