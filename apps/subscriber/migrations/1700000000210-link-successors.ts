import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Joins a deleted subscriber with the one who came again at the same address, and orders consent by its instants. */
export class LinkSuccessors1700000000210 implements MigrationInterface {
  name = 'LinkSuccessors1700000000210';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table subscriber
      add column opted_in_at timestamp(3) with time zone,
      add column reactivated_at timestamp(3) with time zone`);
    await runner.query(`alter table former_subscriber
      add column successor_id uuid,
      add column opted_in_at timestamp(3) with time zone,
      add column reactivated_at timestamp(3) with time zone`);
    await runner.query(`create index former_subscriber_address on former_subscriber (organization_id, address_hash)`);
    // An address that a subscriber has left, by deletion or rename, and the subscriber who has it now.
    await runner.query(`create table former_address (
      organization_id uuid not null,
      address_hash text not null,
      holder_id uuid,
      reactivated_at timestamp(3) with time zone,
      left_at timestamp(3) with time zone not null default clock_timestamp(),
      primary key (organization_id, address_hash)
    )`);
    await runner.query(`create index former_address_age on former_address (left_at)`);
    await runner.query(`insert into former_address (organization_id, address_hash, left_at)
      select organization_id, address_hash, max(deleted_at) from former_subscriber group by 1, 2`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
