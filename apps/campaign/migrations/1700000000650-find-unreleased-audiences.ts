import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FindUnreleasedAudiences1700000000650 implements MigrationInterface {
  name = 'FindUnreleasedAudiences1700000000650';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // Also of campaigns that were held and are SCHEDULED or DRAFT.
  `create index campaign_unreleased on campaign (finished_at nulls first) where status <> 'SENDING' and audience_id is not null`,
  `drop index campaign_audience`,
];
