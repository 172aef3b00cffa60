import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateBackup1700000000470 implements MigrationInterface {
  name = 'CreateBackup1700000000470';

  async up(runner: QueryRunner): Promise<void> {
    // One row a backup, written by the owner of the database while the backup is taken: a restored database must hold the
    // row of its backup. `finished_at` is set when the file is whole.
    await runner.query(`create table backup (
      backup_id uuid primary key,
      kind text not null check (kind in ('PHYSICAL', 'LOGICAL')),
      started_at timestamp(3) with time zone not null default clock_timestamp(),
      finished_at timestamp(3) with time zone
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
