import { uuidOf } from '#database';
import type { Sql } from '#database';

/** Effects of workflows on people, by call id (run:step:visit); kept with the executed calls. */
export class EffectRepository {
  constructor(private readonly sql: Sql) {}

  /** Takes call ids in the transaction of their effects. @returns those that were not taken before */
  async insertNew(organizationId: string, callIds: readonly string[]): Promise<Set<string>> {
    const rows: { call_id: string }[] = await this.sql.query(
      `insert into executed_call (organization_id, call_id, request_hash, state)
       select $1, id, '', 'DONE' from (select distinct unnest($2::text[]) as id order by 1) u
       on conflict do nothing returning call_id`,
      [uuidOf('org', organizationId), callIds],
    );
    return new Set(rows.map((row) => row.call_id));
  }
}
