import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateHealth1700000000420 implements MigrationInterface {
  name = 'CreateHealth1700000000420';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // A row a lane of events, so that each has one writer. Days are those of UTC.
  `create table health_day (
    organization_id uuid not null,
    day date not null,
    lane smallint not null,
    sent bigint not null default 0,
    delivered bigint not null default 0,
    bounced bigint not null default 0,
    complained bigint not null default 0,
    primary key (organization_id, day, lane)
  ) with (fillfactor = 70)`,
  // The early results of a campaign, by which it may be paused once. A person who resumes it has the last word.
  `create table send_trial (
    organization_id uuid not null,
    campaign_id uuid not null,
    results int not null,
    bounced int not null,
    complained int not null,
    paused_at timestamptz(3),
    primary key (organization_id, campaign_id)
  ) with (fillfactor = 70)`,
  `create index send_running on send (organization_id, campaign_id) where finished_at is null`,
];
