import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddRetry1700000000302 implements MigrationInterface {
  name = 'AddRetry1700000000302';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // By the delivery service's clock, as finished_at is: which of the two is later says whether the campaign is over.
  `alter table campaign add column retried_at timestamptz(3)`,
];
