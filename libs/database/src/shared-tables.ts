import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tables every schema has: the event outbox and inbox, lane leases, dead letters, executed calls, tallies, and the care
 * of partitions.
 */
export class SharedTables1700000000000 implements MigrationInterface {
  /** Fixed, so that bundling or renaming the class never runs it again. */
  name = 'SharedTables1700000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table outbox (
    outbox_id uuid not null,
    seq bigint generated always as identity,
    lane smallint not null,
    organization_id uuid not null,
    subject text not null,
    events jsonb not null,
    published_at timestamptz(3),
    primary key (outbox_id)
  ) partition by range (outbox_id)`,
  // The outbox publisher's queue: unpublished rows, in commit order of their lane.
  `create index outbox_unpublished on outbox (lane, seq) where published_at is null`,

  `create table inbox (
    consumer text not null,
    outbox_id uuid not null,
    seen_at timestamptz(3) not null default clock_timestamp(),
    primary key (consumer, outbox_id)
  ) partition by range (outbox_id)`,

  `create table lane_lease (
    role text not null,
    lane smallint not null,
    owner uuid not null,
    fence bigint not null,
    until timestamptz(3) not null,
    primary key (role, lane)
  )`,

  // The stream this schema has published to: one created later than it was lost, and is rebuilt from the outbox.
  `create table stream_seen (name text primary key, created text not null)`,

  `create table dead_letter (
    dead_letter_id uuid primary key,
    consumer text not null,
    event jsonb not null,
    error text not null,
    attempts int not null,
    failed_at timestamptz(3) not null default clock_timestamp(),
    replayed_at timestamptz(3)
  )`,
  `create index dead_letter_open on dead_letter (failed_at) where replayed_at is null`,

  `create table executed_call (
    organization_id uuid not null,
    call_id text not null,
    request_hash text not null,
    state text not null check (state in ('STARTED', 'EFFECTED', 'DONE')),
    answer jsonb,
    created_at timestamptz(3) not null default clock_timestamp(),
    primary key (organization_id, call_id)
  )`,
  `create index executed_call_age on executed_call (created_at)`,

  `create table tally (
    organization_id uuid not null,
    metric text not null,
    key text not null,
    day date not null,
    n bigint not null,
    primary key (organization_id, metric, key, day)
  )`,
  `create table tally_delta (
    delta_id bigint generated always as identity primary key,
    organization_id uuid not null,
    metric text not null,
    key text not null,
    day date not null,
    n bigint not null
  )`,
  `create index tally_delta_reader on tally_delta (organization_id, metric, key, day) include (n)`,

  // Which tables are cut into ranges, how, how long a range is kept (null = for ever), and its storage parameters.
  `create table partitioned (
    table_name text primary key,
    kind text not null check (kind in ('day-uuid', 'month-date', 'month-timestamp')),
    keep interval,
    storage text not null default 'fillfactor = 100',
    -- A range with such a row is kept, however old.
    keep_while text
  )`,
  `insert into partitioned (table_name, kind, keep, keep_while)
   values ('outbox', 'day-uuid', interval '48 hours', 'published_at is null'), ('inbox', 'day-uuid', interval '72 hours', null)`,

  // The smallest UUIDv7 of an instant: partition bounds of id-keyed tables.
  `create function uuid_floor(at timestamptz) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
  $$`,

  // Runs as the owner, since the runtime role may not create tables: this range and the next ones, and old ones dropped.
  `create function maintain_partitions() returns int language plpgsql security definer set timezone to 'UTC' as $$
  declare
    home constant text := current_schema();
    part record; step interval; first_at timestamptz; from_at timestamptz; to_at timestamptz; part_name text;
    bound_from text; bound_to text; made int := 0; old record; kept boolean;
  begin
    perform pg_advisory_xact_lock(hashtextextended('partitions of ' || home, 0));
    for part in select * from partitioned loop
      step := case when part.kind = 'day-uuid' then interval '1 day' else interval '1 month' end;
      first_at := date_trunc(case when part.kind = 'day-uuid' then 'day' else 'month' end, clock_timestamp()) - step;
      for n in 0 .. 3 loop
        from_at := first_at + n * step;
        to_at := from_at + step;
        part_name := part.table_name || '_' || to_char(from_at, case when part.kind = 'day-uuid' then 'YYYYMMDD' else 'YYYYMM' end);
        if to_regclass(format('%I.%I', home, part_name)) is null then
          bound_from := case part.kind when 'day-uuid' then uuid_floor(from_at)::text else to_char(from_at, 'YYYY-MM-DD') end;
          bound_to := case part.kind when 'day-uuid' then uuid_floor(to_at)::text else to_char(to_at, 'YYYY-MM-DD') end;
          execute format('create table %I.%I partition of %I.%I for values from (%L) to (%L) with (%s)',
            home, part_name, home, part.table_name, bound_from, bound_to, part.storage);
          made := made + 1;
        end if;
      end loop;
      for old in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where part.keep is not null and i.inhparent = to_regclass(format('%I.%I', home, part.table_name))
          and to_timestamp(right(c.relname, case when part.kind = 'day-uuid' then 8 else 6 end),
                case when part.kind = 'day-uuid' then 'YYYYMMDD' else 'YYYYMM' end) + step < clock_timestamp() - part.keep
      loop
        execute format('select exists (select from %I.%I where %s)', home, old.relname, coalesce(part.keep_while, 'false')) into kept;
        continue when kept;
        execute format('drop table %I.%I', home, old.relname);
      end loop;
    end loop;
    return made;
  end $$`,
  `alter function maintain_partitions() set search_path from current`,
  `select maintain_partitions()`,
];
