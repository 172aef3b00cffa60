import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets events of any age be applied; a migration of each service, after its own. Unpublished events are kept for ever,
 * while the inbox has ranges for the last days only. The name reads as a day that `maintain_partitions` never drops.
 * The check keeps out events of days for which a range is still to be made, since PostgreSQL would then refuse to make
 * it.
 */
export class KeepLateEvents1700000000970 implements MigrationInterface {
  name = 'KeepLateEvents1700000000970';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table inbox_99991231 partition of inbox default`);
    await runner.query(
      `alter table inbox_99991231 add constraint inbox_late check
         (outbox_id < uuid_floor(date_trunc('day', clock_timestamp(), 'UTC') - interval '24 hours'))`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
