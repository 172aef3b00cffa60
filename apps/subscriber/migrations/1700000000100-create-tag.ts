import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateTag1700000000100 implements MigrationInterface {
  name = 'CreateTag1700000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table tag (
      organization_id uuid not null,
      tag_id uuid not null,
      name text not null,
      name_key text not null,
      deleted_at timestamptz(3),
      primary key (organization_id, tag_id)
    )`);
    // A deleted tag frees its name at once, while a job still removes it from people.
    await runner.query(`create unique index tag_name on tag (organization_id, name_key) where deleted_at is null`);
    await runner.query(`create table subscriber_tag (
      organization_id uuid not null,
      tag_id uuid not null,
      subscriber_id uuid not null,
      added_at timestamptz(3) not null,
      primary key (organization_id, tag_id, subscriber_id)
    )`);
    await runner.query(
      `create index subscriber_tag_holder on subscriber_tag (organization_id, subscriber_id) include (tag_id)`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
