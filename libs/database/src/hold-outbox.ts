import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from './short-locks.js';

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
  // The number of the message that carried the batch, among those of its lane. The change takes a moment, but
  // not before the transactions on the table have ended.
  withShortLocks('alter table outbox add column number bigint;'),

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
