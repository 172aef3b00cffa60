import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CountCampaignHours1700000000620 implements MigrationInterface {
  name = 'CountCampaignHours1700000000620';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const added = ['sent', 'delivered', 'bounced', 'complained', 'unsubscribed', 'unique_opens', 'unique_clicks'];

const statements = [
  // Constant defaults rewrite no row. The code before this migration writes opens and clicks alone.
  `alter table campaign_hour ${added.map((column) => `add column ${column} bigint not null default 0`).join(', ')}`,
];
