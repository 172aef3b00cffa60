import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEngine1700000000501 implements MigrationInterface {
  name = 'CreateEngine1700000000501';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // Counts of steps are tallies.
  `drop table step_stat`,

  `alter table run
    add column steps_without_wait int not null default 0,
    add column attempts int not null default 0,
    -- The first step after the trigger is the last one: the group of the workflow says so.
    add column first_step_only boolean not null default false,
    -- Success goals that were met, each counted once a run.
    add column goals text[] not null default '{}',
    -- While the workflow is paused: when the timer was due.
    add column held_at timestamptz(3),
    -- When filters that wait for something are tested next.
    add column check_at timestamptz(3),
    -- Events that were met but for their filters, by the name of what waits for them.
    add column met text[] not null default '{}'`,
  // RELEASE: held timers are given back bit by bit; CANCEL: the runs of an archived workflow end so.
  `alter table workflow add column sweep text check (sweep in ('RELEASE', 'CANCEL'))`,
  `create index workflow_sweep on workflow (sweep) where sweep is not null`,
  `drop index run_waiters`,
  `create index run_open on run (organization_id, subscriber_id) where state in ('ACTIVE', 'WAITING')`,
  `create index run_check on run (shard, check_at) where state in ('ACTIVE', 'WAITING') and check_at is not null`,
  `create index run_held on run (organization_id, workflow_id) where held_at is not null`,

  // What an event may start, in the order of the events of each subscriber; nothing is decided before its turn.
  `create table start_request (
    seq bigint generated always as identity primary key,
    organization_id uuid not null,
    subscriber_id uuid not null,
    workflow_id uuid not null,
    step_id text,
    -- The event's filters are tested when its turn comes; null: there are none.
    filters jsonb,
    any_status boolean not null,
    cause text not null,
    until timestamptz(3) not null default '-infinity'
  )`,
  `create index start_request_of_subscriber on start_request (organization_id, subscriber_id, seq)`,
  `create index start_request_due on start_request (until, seq)`,

  `alter table enrolment_job alter column audience_id drop not null,
    add column filters jsonb not null default '[]',
    add column matched int not null default 0,
    add column pages int not null default 0,
    add column until timestamptz(3) not null default '-infinity'`,
  `create index enrolment_job_open on enrolment_job (until) where finished_at is null`,
  `create index enrolment_job_of_workflow on enrolment_job (organization_id, workflow_id, job_id)`,

  // Which step of which workflow sends an email; kept for as long as its messages are opened.
  `create table email_use (
    organization_id uuid not null,
    email_id uuid not null,
    workflow_id uuid not null,
    step_id text not null,
    primary key (organization_id, email_id)
  )`,

  // Which days of a DATE_FIELD trigger are done.
  `create table date_trigger_day (
    organization_id uuid not null,
    workflow_id uuid not null,
    step_id text not null,
    day date not null,
    primary key (organization_id, workflow_id, step_id, day)
  )`,
];
