import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateErasure1700000000470 implements MigrationInterface {
  name = 'CreateErasure1700000000470';

  async up(runner: QueryRunner): Promise<void> {
    // Deleted subscribers, for as long as work in progress may still name them.
    await runner.query(`create table erasure (
      organization_id uuid not null,
      subscriber_id uuid not null,
      created_at timestamp(3) with time zone not null default clock_timestamp(),
      due_at timestamp(3) with time zone not null default clock_timestamp(),
      primary key (organization_id, subscriber_id)
    )`);
    await runner.query(`create index erasure_due on erasure (due_at)`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
