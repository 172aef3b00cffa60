import type { Sql } from '#database';

/** Stores backoffs of relays and domains, for every process and get_send_progress. */
export class DestinationRepository {
  constructor(private readonly sql: Sql) {}

  async upsert(
    name: string,
    { wait, failures, reason }: { wait: number; failures: number; reason: string },
  ): Promise<void> {
    await this.sql.query(
      `insert into destination (name, backoff_until, failures, reason)
       values ($1, clock_timestamp() + make_interval(secs => $2), $3, $4)
       on conflict (name) do update set backoff_until = excluded.backoff_until, failures = excluded.failures, reason = excluded.reason`,
      [name, wait, failures, reason],
    );
  }

  async delete(name: string): Promise<void> {
    await this.sql.query(`delete from destination where name = $1`, [name]);
  }
}
