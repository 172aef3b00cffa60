import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An erased message keeps a keyed hash of its address, with which late reports are compared. */
export class KeepAddressHash1700000000480 implements MigrationInterface {
  name = 'KeepAddressHash1700000000480';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table message add column address_hash text`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
