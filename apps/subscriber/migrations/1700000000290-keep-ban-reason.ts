import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The reason that an operator gave for a ban; the process of an older version leaves it null. */
export class KeepBanReason1700000000290 implements MigrationInterface {
  name = 'KeepBanReason1700000000290';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table subscriber add column ban_reason text`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
