import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Partitions come and go in steps of one transaction each, without a long lock on their table; a migration of each
 * service, after its own. `attach partition` stops no statement of others, while `create table … partition of` and a
 * `drop table` of a partition lock out all of them.
 */
export class AttachPartitions1700000001195 implements MigrationInterface {
  name = 'AttachPartitions1700000001195';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // since: partitions exist from this day on, for rows that are older than their table; null: from the previous range on.
  // How long the installation keeps data; null: without limit. An organization may keep less.
  `create table retention (data text primary key, keep interval)`,
  // Rows of an organization from before this instant are deleted, or are being deleted.
  `create table retention_horizon (
    organization_id uuid not null,
    data text not null,
    before timestamptz(3) not null,
    primary key (organization_id, data)
  )`,
  `alter table partitioned add column since date,
     -- Kept as long as retention says, instead of keep.
     add column data text references retention,
     drop constraint partitioned_kind_check,
     add constraint partitioned_kind_check check (kind in ('day-uuid', 'month-uuid', 'month-date', 'month-timestamp'))`,

  // The ranges of a table: those that should exist at an instant, and all that do. A table that is no partition yet, or
  // no longer, stands without being attached.
  `create function partition_ranges(of_table text, at timestamptz)
   returns table (name text, from_at timestamptz, to_at timestamptz, stands boolean, attached boolean, expired boolean)
   language sql stable set timezone to 'UTC' as $$
    with p as (
      select table_name, since, unit, ('1 ' || unit)::interval as step,
        case when data is null then keep else (select r.keep from retention r where r.data = partitioned.data) end as keep,
        case unit when 'day' then 'YYYYMMDD' else 'YYYYMM' end as form
      from partitioned, lateral (select case kind when 'day-uuid' then 'day' else 'month' end) as u(unit)
      where table_name = of_table
    ), names as (
      select table_name || '_' || to_char(range_at, form) as name
      from p, generate_series(least(date_trunc(unit, at) - step, date_trunc(unit, since::timestamptz)),
        date_trunc(unit, at) + 2 * step, step) range_at
      union
      select relname from p, pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and relname ~ ('^' || table_name || '_\\d{' || length(form) || '}$')
    )
    select name, begins, begins + step, c.oid is not null, i.inhrelid is not null,
      coalesce(begins + step < at - keep, false)
    from names cross join p
    cross join lateral (select to_timestamp(right(name, length(form)), form)) as r(begins)
    left join pg_class c on c.relnamespace = current_schema()::regnamespace and c.relname = name
    left join pg_inherits i on i.inhrelid = c.oid
    order by begins
  $$`,

  // One step of the care of one table, as its owner, since the runtime role owns nothing. It is the whole transaction of
  // its caller, so that its locks are short. SQLSTATE 55P03 (the lock is not free) means: call again later.
  `create function maintain_partition(of_table text, at timestamptz) returns text
   language plpgsql security definer set timezone to 'UTC' set lock_timeout to '200ms' as $$
  declare
    home constant text := current_schema();
    part partitioned; r record; bounds text; kept boolean;
  begin
    perform pg_advisory_xact_lock(hashtextextended('partitions of ' || home, 0));
    select * into strict part from partitioned where table_name = of_table;
    -- What is wanted comes first, so that a blocked detachment delays no write.
    for r in select * from partition_ranges(of_table, at) order by expired, from_at loop
      if not r.attached and not r.expired then
        bounds := case when part.kind like '%-uuid' then format('from (%L) to (%L)', uuid_floor(r.from_at), uuid_floor(r.to_at))
          else format('from (%L) to (%L)', to_char(r.from_at, 'YYYY-MM-DD'), to_char(r.to_at, 'YYYY-MM-DD')) end;
        if not r.stands then
          -- Without identity: rows get their numbers from the table they are inserted into.
          execute format('create table %I.%I (like %I.%I including defaults including constraints including indexes
            including generated including storage including compression) with (%s)', home, r.name, home, of_table, part.storage);
        end if;
        execute format('alter table %I.%I attach partition %I.%I for values %s', home, of_table, home, r.name, bounds);
        return 'attached ' || r.name;
      end if;
      if r.expired and r.stands then
        kept := false;
        if part.keep_while is not null then
          execute format('select exists (select from %I.%I part where %s)', home, r.name, part.keep_while) into kept;
        end if;
        continue when kept;
        if not r.attached then
          execute format('drop table %I.%I', home, r.name);
          return 'dropped ' || r.name;
        end if;
        begin
          -- Changes the catalogue only. The files go with the next step, which needs no lock on the table itself.
          execute format('alter table %I.%I detach partition %I.%I', home, of_table, home, r.name);
          if part.keep_while is not null then
            execute format('select exists (select from %I.%I part where %s)', home, r.name, part.keep_while) into kept;
          end if;
          if kept then raise exception using errcode = 'TD001', message = r.name || ' is still in use'; end if;
          return 'detached ' || r.name;
        exception when sqlstate 'TD001' then null;
        end;
      end if;
    end loop;
    return null;
  end $$`,
  `alter function maintain_partition(text, timestamptz) set search_path from current`,

  // All steps at once: for migrations, and for processes of the version before.
  `create or replace function maintain_partitions() returns int language plpgsql security definer set timezone to 'UTC' as $$
  declare
    of_table text; made int := 0;
  begin
    for of_table in select table_name from partitioned order by table_name loop
      begin
        while maintain_partition(of_table, clock_timestamp()) is not null loop made := made + 1; end loop;
      exception when lock_not_available then
        raise warning 'the partitions of % wait for a lock', of_table;
      end;
    end loop;
    return made;
  end $$`,
  `alter function maintain_partitions() set search_path from current`,
];
