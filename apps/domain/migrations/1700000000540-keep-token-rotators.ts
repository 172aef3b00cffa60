import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepTokenRotators1700000000540 implements MigrationInterface {
  name = 'KeepTokenRotators1700000000540';

  async up(runner: QueryRunner): Promise<void> {
    // Users who rotated a token had its secret: they are no second person for what it asks.
    await runner.query(`alter table api_token add column rotated_by uuid[] not null default '{}'`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
