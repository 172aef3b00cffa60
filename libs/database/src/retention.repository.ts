import { uuidOf } from './ids.js';
import type { Sql } from './schema-migrator.js';

/** Rows that go when they are old: one line for each table. */
export interface RetainedRows {
  /** Key of `retention`, and the name on the wire. */
  data: string;
  table: string;
  /** Columns of the primary key, as SQL. */
  key: string;
  /** SQL: the rows of organization `$1` that are older than `$2` and belong to nothing in progress. */
  expired: string;
  /** SQL: as `expired`, for counting before `prepare` has run. */
  counted?: string;
  /** SQL: runs once before the rows of organization `$1` that are older than `$2` are deleted. */
  prepare?: string;
  /** SQL: what is assigned; whole rows are deleted without it. */
  set?: string;
  /** Partitions are dropped after the installation's period, so only shorter ones of organizations delete rows. */
  dropped?: true;
}

/** Rows of one statement. */
export const expiredAtOnce = 5_000;

/** SQL: the whole months before `$now - period` are over. */
const monthOf = (now: string, period: string) =>
  `date_trunc('month', ${now}::timestamptz at time zone 'UTC' - ${period}) at time zone 'UTC'`;

/** How long data is kept, and the deletion of what is older. */
export class RetentionRepository {
  constructor(private readonly sql: Sql) {}

  /** The installation's periods in months, by data; null: without limit. */
  async listPeriods(): Promise<Map<string, number | null>> {
    const rows: { data: string; months: number | null }[] = await this.sql.query(
      `select data, (extract(year from keep) * 12 + extract(month from keep) + floor(extract(day from keep) / 30))::int as months
       from retention`,
    );
    return new Map(rows.map(({ data, months }) => [data, months]));
  }

  /**
   * @param months the organization's period, null for the installation's; the shorter one counts
   * @returns the instant before which rows go; null: none
   */
  async findBefore(data: string, months: number | null, now: Date): Promise<Date | null> {
    const rows: { before: Date | null }[] = await this.sql.query(
      `select ${monthOf('$3', 'least(keep, make_interval(months => $2))')} as before from retention where data = $1`,
      [data, months, now],
    );
    return rows[0]?.before ?? null;
  }

  /** The instant before which rows of an organization may be deleted already; null: none are. */
  async findHorizon(organizationId: string, data: string, now: Date): Promise<Date | null> {
    const rows: { before: Date | null }[] = await this.sql.query(
      `select greatest((select ${monthOf('$3', 'keep')} from retention where data = $2),
         (select before from retention_horizon where organization_id = $1 and data = $2)) as before`,
      [uuidOf('org', organizationId), data, now],
    );
    return rows[0]!.before;
  }

  /** Whether a partition that is too old stands because of something in progress in it: its other rows go one by one. */
  async hasKeptPartition(table: string, now: Date): Promise<boolean> {
    const [row]: { kept: boolean }[] = await this.sql.query(
      `select exists (select from partition_ranges($1, $2) where attached and expired) as kept`,
      [table, now],
    );
    return row!.kept;
  }

  async updateHorizon(organizationId: string, data: string, before: Date): Promise<void> {
    await this.sql.query(
      `insert into retention_horizon (organization_id, data, before) values ($1, $2, $3)
       on conflict (organization_id, data) do update set before = greatest(retention_horizon.before, excluded.before)`,
      [uuidOf('org', organizationId), data, before],
    );
  }

  /** @returns how many rows go; `max` when there are as many or more */
  async count(rows: RetainedRows, organizationId: string, before: Date, max: number): Promise<number> {
    const [row]: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from (select from ${rows.table} where ${rows.counted ?? rows.expired} limit $3) r`,
      [uuidOf('org', organizationId), before, max],
    );
    return row!.n;
  }

  async prepare({ prepare }: RetainedRows, organizationId: string, before: Date): Promise<void> {
    if (prepare !== undefined) await this.sql.query(prepare, [uuidOf('org', organizationId), before]);
  }

  /**
   * Deletes some expired rows; none while another process deletes.
   * @returns how many; fewer than `expiredAtOnce` when none are left
   */
  async delete({ table, key, expired, set }: RetainedRows, organizationId: string, before: Date): Promise<number> {
    const change = set === undefined ? `delete from ${table}` : `update ${table} set ${set}`;
    const [row]: { n: number }[] = await this.sql.query(
      `with turn as materialized (select pg_try_advisory_xact_lock(hashtextextended('retention of ' || current_schema(), 0)) as mine),
       old as materialized (select ${key} from ${table} where ${expired} and (select mine from turn) limit $3),
       gone as (${change} where (${key}) in (select ${key} from old) returning 1)
       select count(*)::int as n from gone`,
      [uuidOf('org', organizationId), before, expiredAtOnce],
    );
    return row!.n;
  }
}
