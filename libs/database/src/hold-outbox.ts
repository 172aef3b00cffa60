import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a service missed stays in the outbox of its source, which can name it by the message it was published in; a
 * migration of each service, after its own.
 */
export class HoldOutbox1700000001390 implements MigrationInterface {
  name = 'HoldOutbox1700000001390';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // The number of the message that carried the batch, among those of its lane. What is written meanwhile waits 200 ms at
  // most: the change itself takes a moment, but not before the transactions on the table have ended.
  `do $$ begin
    for attempt in 1 .. 300 loop
      begin
        set local lock_timeout to '200ms';
        alter table outbox add column number bigint;
        exit;
      exception when lock_not_available then
        if attempt = 300 then raise; end if;
        perform pg_sleep(0.2);
      end;
    end loop;
    set local lock_timeout to default;
  end $$`,

  // How far each service has applied the events of this schema. numbers: the last message of each lane at noted_at; once
  // the service has applied them, everything until noted_at is applied.
  `create table outbox_reader (
    consumer text primary key,
    numbers jsonb not null,
    noted_at timestamptz(3) not null,
    applied_until timestamptz(3) not null
  )`,
  // A service that is away holds the outbox for 30 days at most: events may name a subscriber who is erased meanwhile.
  `update partitioned set keep_while = 'published_at is null or (outbox_id >= uuid_floor(clock_timestamp() - interval ''30 days'')
     and outbox_id >= (select uuid_floor(min(applied_until)) from outbox_reader))' where table_name = 'outbox'`,

  // An interrupted repair knows by the inbox what it has applied.
  `update partitioned set keep_while = 'exists (select from event_gap where resolved_at is null)' where table_name = 'inbox'`,

  // How many of its messages a repair did not find; null where an operator resolved it otherwise.
  `alter table event_gap add column missing bigint`,
];
