import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where a schema keeps the constant sealed under its master key; a migration of each service, after its own. */
export class CreateMasterKeyCheck1700000000950 implements MigrationInterface {
  name = 'CreateMasterKeyCheck1700000000950';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table master_key_check (
      only_row boolean primary key default true check (only_row),
      fingerprint text not null,
      sealed bytea not null,
      created_at timestamptz(3) not null default clock_timestamp()
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
