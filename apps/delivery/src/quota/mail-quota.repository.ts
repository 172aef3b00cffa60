import { uuidOf } from '#database';
import type { Sql } from '#database';
import { assertWithinQuota, quotaOf } from '#tool-call';
import type { Caller } from '#tool-call';

/**
 * SQL: what was accepted in month $2 before anybody counted: whole campaigns but for whom they skipped, and every other
 * mail but our own (confirmations, test copies).
 */
const acceptedSql = `(
  select coalesce(sum(s.total - case when s.finished_at is null then 0 else (
      select coalesce(sum(e.value::int), 0) from send_page p, jsonb_each_text(p.skipped) e
      where p.organization_id = s.organization_id and p.send_id = s.send_id) end), 0)
  from send s where s.organization_id = $1 and s.period = $2) + (
  select count(*) from message where period = $2 and organization_id = $1
    and (kind in ('SMTP', 'WORKFLOW') or kind = 'TRANSACTIONAL' and source_key is null))`;

/** Emails of a month (UTC) of organizations with a quota: every one that was accepted, to test addresses too. */
export class MailQuotaRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Counts mails that are about to be accepted in this transaction; nothing for callers without a quota. Callers of one
   * organization wait for one another, so that it is never passed.
   * @param month YYYY-MM
   * @throws ToolError QUOTA_REACHED
   */
  async take(caller: Pick<Caller, 'organizationId' | 'bounds'>, month: string, asked: number): Promise<void> {
    if (quotaOf(caller, 'mailsPerMonth') === null) return;
    const key = [uuidOf('org', caller.organizationId), `${month}-01`];
    const counted: unknown[] = await this.sql.query(
      `select from mail_quota where organization_id = $1 and period = $2`,
      key,
    );
    if (counted.length === 0) {
      await this.sql.query(
        `insert into mail_quota (organization_id, period, used) values ($1, $2, ${acceptedSql}) on conflict do nothing`,
        key,
      );
    }
    const [[row]]: [{ used: number }[]] = await this.sql.query(
      `update mail_quota set used = used + $3 where organization_id = $1 and period = $2 returning (used - $3)::float8 as used`,
      [...key, asked],
    );
    assertWithinQuota(caller, 'mailsPerMonth', { used: row!.used, asked });
  }

  /** How many were accepted in a month. */
  async count(organizationId: string, month: string): Promise<number> {
    const rows: { used: number }[] = await this.sql.query(
      `select coalesce((select used from mail_quota where organization_id = $1 and period = $2), ${acceptedSql})::float8 as used`,
      [uuidOf('org', organizationId), `${month}-01`],
    );
    return rows[0]!.used;
  }

  /** Gives back what a send that has ended took for people it skipped. */
  async release(organizationId: string, sendId: string, skipped: number): Promise<void> {
    if (skipped === 0) return;
    await this.sql.query(
      `update mail_quota q set used = greatest(0, q.used - $3) from send s
       where s.organization_id = $1 and s.send_id = $2 and q.organization_id = $1 and q.period = s.period`,
      [uuidOf('org', organizationId), uuidOf('send', sendId), skipped],
    );
  }
}
