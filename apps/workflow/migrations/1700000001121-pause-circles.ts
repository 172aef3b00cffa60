import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pauses of workflows that start each other: what asks for one, why there was one, and when it was over. */
export class PauseCircles1700000001121 implements MigrationInterface {
  name = 'PauseCircles1700000001121';

  async up(runner: QueryRunner): Promise<void> {
    // `paused_reason` counts while the status is PAUSED; of a pause by a user it is null. `resumed_at`: starts before it
    // count for no limit.
    await runner.query(`alter table workflow add column paused_reason text, add column resumed_at timestamptz(3)`);
    await runner.query(`create index workflow_paused_by_system on workflow (organization_id, workflow_id)
      where status = 'PAUSED' and paused_reason is not null`);
    // A queue without a key of its own: enrolments that ask for the same pause at once do not wait for each other.
    await runner.query(`create table pause_request (
      seq bigint generated always as identity primary key,
      organization_id uuid not null,
      workflow_id uuid not null,
      subscriber_id uuid not null
    )`);
    await runner.query(`create index pause_request_of_workflow on pause_request (organization_id, workflow_id)`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
