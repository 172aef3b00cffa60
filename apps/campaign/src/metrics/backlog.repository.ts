import type { Sql } from '#database';

export class BacklogRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * `latenessSeconds`: delay of the first due campaign that is not held for an approval; `starting`: claimed, not yet
   * handed to delivery.
   */
  async get(): Promise<{ latenessSeconds: number; starting: number }> {
    const rows: { latenessSeconds: number; starting: number }[] = await this.sql.query(
      `select greatest(0, coalesce(extract(epoch from statement_timestamp() - (
           select min(scheduled_at) from campaign where status = 'SCHEDULED' and held_at is null)), 0))::float8 as "latenessSeconds",
         (select count(*)::int from campaign where status = 'SENDING' and handed_over_at is null) as starting`,
    );
    return rows[0]!;
  }
}
