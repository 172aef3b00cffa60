import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long the history of subscribers is kept. A period that an operator has set for it stays. */
export class SetRetention1700000001220 implements MigrationInterface {
  name = 'SetRetention1700000001220';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `insert into retention (data, keep)
   select 'subscriberEvents', keep from partitioned where table_name = 'subscriber_event'
   union all values ('campaignActivity', interval '25 months')`,
  `update partitioned set data = 'subscriberEvents' where table_name = 'subscriber_event'`,
  // Campaigns whose activity is deleted, or is being deleted: filters on them are refused.
  `create table expired_campaign (
    organization_id uuid not null,
    campaign_id uuid not null,
    primary key (organization_id, campaign_id)
  )`,
];
