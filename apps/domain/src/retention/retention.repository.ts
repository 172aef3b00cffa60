import type { RetainedData, RetentionMonths } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

/** SQL: the periods of an organization as an object. */
const monthsSql = (organization: string) =>
  `coalesce((select jsonb_object_agg(p.data, p.months) from retention_period p where p.organization_id = ${organization}), '{}') as months`;

/** How long organizations keep data. */
export class RetentionRepository {
  constructor(private readonly sql: Sql) {}

  async get(organizationId: string): Promise<RetentionMonths> {
    const [row]: { months: RetentionMonths }[] = await this.sql.query(`select ${monthsSql('$1')}`, [
      uuidOf('org', organizationId),
    ]);
    return row!.months;
  }

  /** Sets periods in months; null takes one away. */
  async update(organizationId: string, changes: Partial<Record<RetainedData, number | null>>): Promise<void> {
    const own = uuidOf('org', organizationId);
    const [set, cleared] = [true, false].map((isSet) =>
      Object.entries(changes).filter(([, months]) => (months !== null) === isSet),
    ) as [[string, number][], [string, null][]];
    await this.sql.query(`delete from retention_period where organization_id = $1 and data = any($2::text[])`, [
      own,
      cleared.map(([data]) => data),
    ]);
    await this.sql.query(
      `insert into retention_period (organization_id, data, months) select $1, * from unnest($2::text[], $3::int[])
       on conflict (organization_id, data) do update set months = excluded.months`,
      [own, set.map(([data]) => data), set.map(([, months]) => months)],
    );
  }

  /** All organizations in the order of their ids, after one. */
  async list(after: string | null, limit: number): Promise<{ id: string; months: RetentionMonths }[]> {
    const rows: { organization_id: string; months: RetentionMonths }[] = await this.sql.query(
      `select o.organization_id, ${monthsSql('o.organization_id')} from organization o
       where $1::uuid is null or o.organization_id > $1 order by o.organization_id limit $2`,
      [after && uuidOf('org', after), limit],
    );
    return rows.map(({ organization_id, months }) => ({ id: wireId('org', organization_id), months }));
  }
}
