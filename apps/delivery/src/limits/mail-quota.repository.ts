import { prepared, uuidOf } from '#database';
import type { Sql } from '#database';
import { assertWithinQuota, quotaOf } from '#tool-call';
import type { Caller } from '#tool-call';

/**
 * SQL: the emails accepted in month $2: whole campaigns without their skipped recipients, and every other mail but our
 * own (confirmations, test copies).
 */
const acceptedSql = `(
  select coalesce(sum(s.total - case when s.finished_at is null then 0 else (
      select coalesce(sum(e.value::int), 0) from send_page p, jsonb_each_text(p.skipped) e
      where p.organization_id = s.organization_id and p.send_id = s.send_id) end), 0)
  from send s where s.organization_id = $1 and s.period = $2) + (
  select count(*) from message where period = $2 and organization_id = $1
    and (kind in ('SMTP', 'WORKFLOW') or kind = 'TRANSACTIONAL' and source_key is null))`;

/**
 * Counts the emails of a month (UTC), including those to test addresses. Counting begins with the first caller that has
 * a quota, and includes all earlier mail of that month. It goes on for every caller, so a quota that is lifted and set
 * again finds everything counted.
 */
export class MailQuotaRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Counts mails that this transaction has accepted, after it wrote them: a repeat that wrote nothing is not checked.
   * Callers of one organization wait for one another, so that a quota is never exceeded.
   * @param month YYYY-MM
   * @throws ToolError QUOTA_REACHED
   */
  async take(caller: Pick<Caller, 'organizationId' | 'bounds'>, month: string, accepted: number): Promise<void> {
    if (accepted === 0) return;
    const key = [uuidOf('org', caller.organizationId), `${month}-01`];
    let used = await this.#add(key, accepted);
    if (used === null && quotaOf(caller, 'mailsPerMonth') !== null)
      used = (await this.#begin(key)) ?? (await this.#add(key, accepted));
    if (used !== null) assertWithinQuota(caller, 'mailsPerMonth', { used: used - accepted, asked: accepted });
  }

  /** @returns the new count; null when the month is not counted */
  async #add(key: readonly unknown[], accepted: number): Promise<number | null> {
    const [[row]]: [{ used: number }[]] = await this.sql.query(addSql, [...key, accepted]);
    return row?.used ?? null;
  }

  /** Begins to count, with the rows of this transaction. @returns how many there are; null if another process began */
  async #begin(key: readonly unknown[]): Promise<number | null> {
    const rows: { used: number }[] = await this.sql.query(
      `insert into mail_quota (organization_id, period, used) values ($1, $2, ${acceptedSql}) on conflict do nothing
       returning used::float8 as used`,
      [...key],
    );
    return rows[0]?.used ?? null;
  }

  async count(organizationId: string, month: string): Promise<number> {
    const rows: { used: number }[] = await this.sql.query(
      `select coalesce((select used from mail_quota where organization_id = $1 and period = $2), ${acceptedSql})::float8 as used`,
      [uuidOf('org', organizationId), `${month}-01`],
    );
    return rows[0]!.used;
  }

  /**
   * Releases the quota that a send took for skipped recipients; if the send is reopened, takes it again until its end.
   */
  async updateSkipped(organizationId: string, sendId: string, change: 'give back' | 'take again'): Promise<void> {
    await this.sql.query(
      `update mail_quota q set used = greatest(0, q.used + $3 * (
         select coalesce(sum(e.value::int), 0) from send_page p, jsonb_each_text(p.skipped) e
         where p.organization_id = s.organization_id and p.send_id = s.send_id))
       from send s where s.organization_id = $1 and s.send_id = $2 and q.organization_id = $1 and q.period = s.period`,
      [uuidOf('org', organizationId), uuidOf('send', sendId), change === 'give back' ? -1 : 1],
    );
  }
}

const addSql = prepared(
  'count mails',
  `update mail_quota set used = used + $3 where organization_id = $1 and period = $2 returning used::float8 as used`,
);
