import type { Sql } from './schema-migrator.js';

/**
 * Whether each partitioned table of the schema has room for the rows of this day or month and of the next: what the
 * maintenance missed shows here before a write fails.
 */
export async function hasRoom(sql: Sql): Promise<boolean> {
  const rows: { room: boolean }[] = await sql.query(
    `select bool_and(to_regclass(table_name || to_char(at, suffix)) is not null) as room
     from partitioned,
       lateral (select case kind when 'day-uuid' then 'day' else 'month' end as unit,
         case kind when 'day-uuid' then '_YYYYMMDD' else '_YYYYMM' end as suffix) form,
       lateral (select date_trunc(unit, clock_timestamp() at time zone 'UTC') + n * ('1 ' || unit)::interval as at
         from generate_series(0, 1) n) time`,
  );
  return rows[0]!.room;
}
