import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An operator may let an organization have more custom fields than others. */
export class LimitCustomFields1700000000260 implements MigrationInterface {
  name = 'LimitCustomFields1700000000260';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table organization_limit (
        organization_id uuid primary key,
        custom_fields int not null check (custom_fields >= 0)
      )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
