import { uuidOf } from './ids.js';
import { prepared } from './prepared.js';
import type { Sql } from './schema-migrator.js';

/** A change of one counter: `metric` and `key` name it, `day` in UTC (YYYY-MM-DD). */
export interface TallyChange {
  metric: string;
  key: string;
  day: string;
  n: number;
}

/**
 * Counts kept beside the rows they count. A change is an insert in the caller's transaction, so no row is hot; a job
 * folds changes into totals; a read adds both and is exact in its own transaction.
 */
export class TallyRepository {
  constructor(private readonly sql: Sql) {}

  /** Records changes; equal keys may repeat. */
  async insert(organizationId: string, changes: readonly TallyChange[]): Promise<void> {
    const sums = new Map<string, TallyChange>();
    for (const { metric, key, day, n } of changes) {
      const place = `${metric}\n${key}\n${day}`;
      sums.set(place, { metric, key, day, n: n + (sums.get(place)?.n ?? 0) });
    }
    const some = [...sums.values()].filter(({ n }) => n !== 0);
    if (some.length === 0) return;
    await this.sql.query(insertSql, [
      uuidOf('org', organizationId),
      some.map((c) => c.metric),
      some.map((c) => c.key),
      some.map((c) => c.day),
      some.map((c) => c.n),
    ]);
  }

  async listByKey(organizationId: string, metric: string): Promise<Map<string, number>> {
    const rows: { key: string; n: number }[] = await this.sql.query(
      `select key, sum(n)::float8 as n from (
         select key, n from tally where organization_id = $1 and metric = $2
         union all select key, n from tally_delta where organization_id = $1 and metric = $2) t group by key`,
      [uuidOf('org', organizationId), metric],
    );
    return new Map(rows.map(({ key, n }) => [key, n]));
  }

  /** Folds up to 20,000 changes into totals; one process at a time (others skip). @returns how many were folded. */
  async foldChanges(): Promise<number> {
    const rows: { folded: number }[] = await this.sql.query(
      `with mine as (select pg_try_advisory_xact_lock(hashtextextended('tally of ' || current_schema(), 0)) as held),
       gone as (delete from tally_delta where delta_id in (select delta_id from tally_delta where (select held from mine) order by delta_id limit 20000) returning *),
       folded as (insert into tally as t select organization_id, metric, key, day, sum(n) from gone group by 1, 2, 3, 4
         order by 1, 2, 3, 4 on conflict (organization_id, metric, key, day) do update set n = t.n + excluded.n)
       select count(*)::int as folded from gone`,
    );
    return rows[0]!.folded;
  }
}

const insertSql = prepared(
  'insert tally_delta',
  `insert into tally_delta (organization_id, metric, key, day, n)
   select $1, u.* from unnest($2::text[], $3::text[], $4::date[], $5::bigint[]) u`,
);
