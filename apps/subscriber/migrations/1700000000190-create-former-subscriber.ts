import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mail outlives the people it was sent to: who leaves by it after they were deleted must not be written to again. */
export class CreateFormerSubscriber1700000000190 implements MigrationInterface {
  name = 'CreateFormerSubscriber1700000000190';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table former_subscriber (
      organization_id uuid not null,
      subscriber_id uuid not null,
      address_hash text not null,
      deleted_at timestamp(3) with time zone not null default clock_timestamp(),
      primary key (organization_id, subscriber_id)
    )`);
    await runner.query(`create index former_subscriber_age on former_subscriber (deleted_at)`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
