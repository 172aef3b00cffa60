import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSendEngine1700000001120 implements MigrationInterface {
  name = 'CreateSendEngine1700000001120';

  async up(runner: QueryRunner): Promise<void> {
    // The owners of chunks that hold an advisory lock for as long as their process lives. Older processes have no row.
    await runner.query(`create table send_engine (
      owner uuid primary key,
      started_at timestamp(3) with time zone not null default clock_timestamp()
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
