import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateKeptAnswer1700000001170 implements MigrationInterface {
  name = 'CreateKeptAnswer1700000001170';

  async up(runner: QueryRunner): Promise<void> {
    // What the domain service last answered about senders, sealed, for the time in which it is away.
    await runner.query(`create table kept_answer (
      organization_id uuid not null,
      name text not null,
      sealed bytea not null,
      confirmed_at timestamptz(3) not null default clock_timestamp(),
      primary key (organization_id, name)
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
