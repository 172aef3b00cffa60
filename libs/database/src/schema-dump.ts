import type { Sql } from './schema-migrator.js';

/**
 * Describes a schema as stable text, without partitions, since they depend on the day.
 * @param sql connection whose search path begins with the schema
 */
export async function dumpSchema(sql: Sql, schema: string): Promise<string> {
  const rows: { text: string }[] = await sql.query(
    `with home as (select oid from pg_namespace where nspname = $1),
     tables as (select c.oid, c.relname, c.relpersistence, pg_get_partkeydef(c.oid) as part, c.reloptions from pg_class c, home
       where c.relnamespace = home.oid and c.relkind in ('r', 'p') and not c.relispartition),
     lines as (
       select relname as table_name, 0 as section, 0 as place, relname as name,
         case relpersistence when 'u' then 'unlogged ' else '' end || 'table ' || relname
           || coalesce(' partition by ' || part, '') || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') as text from tables
       union all
       select t.relname, 1, a.attnum, a.attname, '  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
         || case when a.attnotnull then ' not null' else '' end
         || case when a.attidentity <> '' then ' identity' else '' end
         || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
       from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
       left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
       union all
       select t.relname, 2, 0, c.conname, '  constraint ' || c.conname || ' ' || pg_get_constraintdef(c.oid)
       from tables t join pg_constraint c on c.conrelid = t.oid where c.contype <> 'n'
       union all
       select t.relname, 3, 0, i.relname, '  ' || regexp_replace(pg_get_indexdef(i.oid), ' ON (ONLY )?' || $1 || '\\.', ' on ')
       from tables t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
       where not exists (select from pg_constraint c where c.conindid = i.oid)
       union all
       select 'zz views', 4, 0, c.relname, 'view ' || c.relname || ' ' || md5(pg_get_viewdef(c.oid)) from pg_class c, home
       where c.relnamespace = home.oid and c.relkind = 'v'
       union all
       select 'zz functions', 4, 0, p.proname, 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ') '
         || md5(p.prosrc) from pg_proc p, home where p.pronamespace = home.oid
     )
     select text from lines order by table_name, section, place, name, text collate "C"`,
    [schema],
  );
  return rows.map(({ text }) => text).join('\n') + '\n';
}
