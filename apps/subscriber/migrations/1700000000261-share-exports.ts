import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations take turns at exports: the one served longest ago is next. */
export class ShareExports1700000000261 implements MigrationInterface {
  name = 'ShareExports1700000000261';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table export add column claimed_at timestamptz`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
