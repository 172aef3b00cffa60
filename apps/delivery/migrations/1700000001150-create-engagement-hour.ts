import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEngagementHour1700000001150 implements MigrationInterface {
  name = 'CreateEngagementHour1700000001150';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const counters = [
  'sent',
  'delivered',
  'bounced',
  'complained',
  'unsubscribed',
  'opens',
  'unique_opens',
  'clicks',
  'unique_clicks',
];

const statements = [
  // A row a lane of events, so that each has one writer.
  `create table engagement_hour (
    organization_id uuid not null,
    hour timestamptz(0) not null,
    kind text not null,
    lane smallint not null,
    ${counters.map((column) => `${column} bigint not null default 0`).join(',\n    ')},
    primary key (organization_id, hour, kind, lane)
  ) with (fillfactor = 70)`,
  `create index engagement_hour_age on engagement_hour (hour)`,
];
