import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps large batches of events apart from the rows of the outbox (TOAST); a migration of each service, after its own.
 * The update that says that a row is published copies the row, and no longer such a batch. PostgreSQL moves values only
 * out of rows of more than 2 kB, whatever the target is; without this target a batch that compresses to less stays.
 */
export class ToastOutbox1700000001540 implements MigrationInterface {
  name = 'ToastOutbox1700000001540';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `update partitioned set storage = storage || ', toast_tuple_target = 128' where table_name = 'outbox'`,
  // Waits for no reader and no writer (SHARE UPDATE EXCLUSIVE), and applies to rows from now on.
  `do $$ declare part regclass; begin
    for part in select inhrelid from pg_inherits where inhparent = 'outbox'::regclass loop
      execute format('alter table %s set (toast_tuple_target = 128)', part);
    end loop;
  end $$`,
];
