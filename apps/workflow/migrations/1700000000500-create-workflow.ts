import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWorkflow1700000000500 implements MigrationInterface {
  name = 'CreateWorkflow1700000000500';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table workflow_group (
    organization_id uuid not null,
    group_id uuid not null,
    name text not null,
    name_key text not null,
    conflict_strategy text not null check (conflict_strategy in ('CANCEL_EXISTING', 'SKIP_NEW', 'RUN_FIRST_STEP')),
    updated_at timestamptz(3) not null,
    primary key (organization_id, group_id)
  )`,
  `create unique index workflow_group_name on workflow_group (organization_id, name_key)`,

  `create table workflow (
    organization_id uuid not null,
    workflow_id uuid not null,
    name text not null,
    status text not null check (status in ('DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED')),
    draft jsonb not null,
    settings jsonb not null,
    success_goals jsonb not null,
    group_id uuid,
    published_version int,
    updated_at timestamptz(3) not null,
    primary key (organization_id, workflow_id)
  )`,
  `create index workflow_search on workflow using gin (organization_id, lower(name) gin_trgm_ops)`,
  `create index workflow_of_group on workflow (organization_id, group_id) where group_id is not null`,

  // The emails of a draft live here, so that a draft is saved in one transaction.
  `create table workflow_email (
    organization_id uuid not null,
    email_id uuid not null,
    workflow_id uuid not null,
    step_id text not null,
    subject text not null,
    preview text,
    content jsonb not null,
    content_type text not null,
    sender_id uuid,
    reply_to text,
    updated_at timestamptz(3) not null,
    primary key (organization_id, email_id)
  )`,
  `create index workflow_email_step on workflow_email (organization_id, workflow_id, step_id)`,

  `create table workflow_version (
    organization_id uuid not null,
    workflow_id uuid not null,
    version int not null,
    graph jsonb not null,
    settings jsonb not null,
    success_goals jsonb not null,
    emails jsonb not null,
    published_at timestamptz(3) not null,
    primary key (organization_id, workflow_id, version)
  )`,

  // What an event of another service may start; organizations without a live trigger have no rows and cost nothing.
  `create table trigger_index (
    organization_id uuid not null,
    kind text not null,
    key text not null,
    workflow_id uuid not null,
    version int not null,
    primary key (organization_id, kind, key, workflow_id)
  )`,

  `create table run (
    organization_id uuid not null,
    run_id uuid not null,
    workflow_id uuid not null,
    version int not null,
    group_id uuid,
    subscriber_id uuid not null,
    state text not null check (state in ('ACTIVE', 'WAITING', 'COMPLETED', 'CANCELED', 'FAILED')),
    step_id text,
    visit int not null default 0,
    waiting_for jsonb,
    next_action_at timestamptz(3),
    shard smallint not null,
    owner uuid,
    fence bigint not null default 0,
    until timestamptz(3),
    started_at timestamptz(3) not null,
    finished_at timestamptz(3),
    reason text,
    primary key (organization_id, run_id)
  ) with (fillfactor = 80)`,
  `create index run_of_subscriber on run (organization_id, subscriber_id, run_id)`,
  `create index run_of_workflow on run (organization_id, workflow_id, state)`,
  // The timer queue: 64 shards, so that no tenant waits behind a larger one.
  `create index run_due on run (shard, next_action_at) where state in ('ACTIVE', 'WAITING') and next_action_at is not null`,
  `create index run_waiters on run (organization_id, subscriber_id) where state = 'WAITING'`,

  `create table run_history (
    organization_id uuid not null,
    run_id uuid not null,
    visit int not null,
    step_id text not null,
    at timestamptz(3) not null,
    outcome text not null,
    data jsonb not null,
    primary key (at, organization_id, run_id, visit)
  ) partition by range (at)`,
  `create index run_history_of_run on run_history (organization_id, run_id, visit)`,
  `insert into partitioned values ('run_history', 'month-timestamp', interval '25 months')`,
  `select maintain_partitions()`,

  // Re-entry ONCE is a constraint, not a check.
  `create table enrolled_once (
    organization_id uuid not null,
    workflow_id uuid not null,
    subscriber_id uuid not null,
    primary key (organization_id, workflow_id, subscriber_id)
  )`,

  `create table step_stat (
    organization_id uuid not null,
    workflow_id uuid not null,
    version int not null,
    step_id text not null,
    lane smallint not null,
    entered bigint not null default 0,
    left_count bigint not null default 0,
    primary key (organization_id, workflow_id, version, step_id, lane)
  )`,

  `create table enrolment_job (
    organization_id uuid not null,
    job_id uuid not null,
    workflow_id uuid not null,
    step_id text,
    audience_id uuid not null,
    page_no int not null default 0,
    counts jsonb not null,
    created_at timestamptz(3) not null,
    finished_at timestamptz(3),
    primary key (organization_id, job_id)
  )`,
];
