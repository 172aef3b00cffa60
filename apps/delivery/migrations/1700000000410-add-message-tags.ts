import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddMessageTags1700000000410 implements MigrationInterface {
  name = 'AddMessageTags1700000000410';

  async up(runner: QueryRunner): Promise<void> {
    // What callers name a message by: an array of {name, value}.
    await runner.query(`alter table message add column tags jsonb`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
