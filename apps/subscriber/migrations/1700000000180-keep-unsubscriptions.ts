import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps unsubscriptions of deleted subscribers, so that deleting and importing an address does not resubscribe it. */
export class KeepUnsubscriptions1700000000180 implements MigrationInterface {
  name = 'KeepUnsubscriptions1700000000180';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table address_mark add column unsubscribed_at timestamptz(3)`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
