import { DataSource } from 'typeorm';

interface Column {
  schema: string;
  table: string;
  column: string;
  type: string;
}

/** What a text may be in: everything but numbers, instants and identifiers. */
const columnsSql = `
  select c.table_schema as schema, c.table_name as table, c.column_name as column, c.udt_name as type
  from information_schema.columns c
  join pg_class r on r.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
  where c.table_schema not in ('pg_catalog', 'information_schema') and r.relkind in ('r', 'p') and not r.relispartition
    and c.udt_name in ('text', '_text', 'varchar', '_varchar', 'bpchar', 'json', 'jsonb', 'bytea')
  order by 1, 2, 3`;

/**
 * Searches every table of every schema for a text, without case.
 * Takes the URL of the database's owner.
 * Returns the places that hold it as `schema.table.column`, in order.
 */
export async function findText(ownerUrl: string, text: string): Promise<string[]> {
  const database = await new DataSource({ type: 'postgres', url: ownerUrl }).initialize();
  try {
    const columns: Column[] = await database.query(columnsSql);
    const found: string[] = [];
    for (const { schema, table, column, type } of columns) {
      // Bytes are searched as characters of one byte each, so that any content can be read.
      const content = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
      const [row]: { holds: boolean }[] = await database.query(
        `select exists (select from "${schema}"."${table}" where strpos(lower(${content}), lower($1)) > 0) as holds`,
        [text],
      );
      if (row!.holds) found.push(`${schema}.${table}.${column}`);
    }
    return found;
  } finally {
    await database.destroy();
  }
}
