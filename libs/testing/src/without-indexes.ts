import type pg from 'pg';

/**
 * Does work on a table while it has no indexes but its primary key, and recreates them afterwards. Only for a database
 * without other users at that time.
 */
export async function withoutIndexes<T>(client: pg.Client, table: string, work: () => Promise<T>): Promise<T> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = $1::regclass and not indisprimary`,
    [table],
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const result = await work();
  for (const { definition } of indexes) await client.query(definition.replace(' ON ONLY ', ' ON '));
  return result;
}
