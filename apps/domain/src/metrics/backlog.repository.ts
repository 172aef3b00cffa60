import type { Sql } from '#database';

export class BacklogRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * `approvals`: calls that wait for a decision; `latenessSeconds`: seconds by which the first due check of a domain is
   * late.
   */
  async get(): Promise<{ approvals: number; latenessSeconds: number }> {
    const rows: { approvals: number; latenessSeconds: number }[] = await this.sql.query(
      `select (select count(*)::int from approval where state = 'PENDING'
           and expires_at > statement_timestamp()) as approvals,
         greatest(0, coalesce(extract(epoch from statement_timestamp() - least(
           (select min(next_check_at) from sending_domain where next_check_at is not null),
           (select min(next_check_at) from web_domain where next_check_at is not null))), 0))::float8 as "latenessSeconds"`,
    );
    return rows[0]!;
  }
}
