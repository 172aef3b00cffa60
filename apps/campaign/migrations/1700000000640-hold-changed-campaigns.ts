import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HoldChangedCampaigns1700000000640 implements MigrationInterface {
  name = 'HoldChangedCampaigns1700000000640';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // What was approved, to hold the start of the send against. Null: the send needed no approval.
  `alter table campaign
    add column approval_id uuid,
    add column approved_hash text,
    add column approved_count int,
    add column held_at timestamptz(3),
    add column asked_again_at timestamptz(3)`,
  `create index campaign_held on campaign (held_at) where held_at is not null`,
];
