import type { Sql } from '#database';

export class BacklogRepository {
  constructor(private readonly sql: Sql) {}

  /** How many, and how long ago the first was asked for, in seconds. */
  async get(): Promise<{ exports: number; oldestSeconds: number }> {
    const rows: { exports: number; oldestSeconds: number }[] = await this.sql.query(
      `select count(*)::int as exports, coalesce(extract(epoch from statement_timestamp() - min(created_at)), 0)::float8 as "oldestSeconds"
       from export where state in ('QUEUED', 'RUNNING')`,
    );
    return rows[0]!;
  }
}
