import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happened to people, and what of it filters ask for. */
export class CreateHistory1700000000120 implements MigrationInterface {
  name = 'CreateHistory1700000000120';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table subscriber_event (
    created_at timestamptz(3) not null,
    organization_id uuid not null,
    event_id uuid not null,
    subscriber_id uuid not null,
    type text not null,
    campaign_id uuid,
    data jsonb not null,
    primary key (created_at, organization_id, event_id)
  ) partition by range (created_at)`,
  // In the order of the partitions, so that the newest page of a history reads the newest month and stops.
  `create index subscriber_event_feed on subscriber_event (organization_id, subscriber_id, created_at desc, event_id desc)`,
  `create index subscriber_event_type on subscriber_event (organization_id, type, created_at) include (subscriber_id)`,
  `create index subscriber_event_click on subscriber_event (organization_id, campaign_id, subscriber_id)
    where type = 'EMAIL_CLICKED'`,
  `insert into partitioned values ('subscriber_event', 'month-timestamp', interval '25 months')`,
  `select maintain_partitions()`,

  // Projections of the facts of delivery and workflow, for CAMPAIGN and WORKFLOW filters.
  `create table subscriber_campaign (
    organization_id uuid not null,
    campaign_id uuid not null,
    subscriber_id uuid not null,
    sent_at timestamptz(3),
    opened_at timestamptz(3),
    clicked_at timestamptz(3),
    bounced_at timestamptz(3),
    primary key (organization_id, campaign_id, subscriber_id)
  ) with (fillfactor = 80)`,
  `create index subscriber_campaign_person on subscriber_campaign (organization_id, subscriber_id, campaign_id)`,
  `create table subscriber_workflow (
    organization_id uuid not null,
    workflow_id uuid not null,
    subscriber_id uuid not null,
    active_runs int not null default 0,
    completed_runs int not null default 0,
    entered_at timestamptz(3),
    primary key (organization_id, workflow_id, subscriber_id)
  ) with (fillfactor = 80)`,
];
