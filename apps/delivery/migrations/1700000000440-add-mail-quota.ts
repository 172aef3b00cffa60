import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddMailQuota1700000000440 implements MigrationInterface {
  name = 'AddMailQuota1700000000440';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // One row for each month of an organization with a quota; the room left in each page keeps updates HOT.
  `create table mail_quota (
    organization_id uuid not null,
    period date not null,
    used bigint not null,
    primary key (organization_id, period)
  ) with (fillfactor = 70)`,
  // Null: as the organization has it when the mail is made.
  `alter table send alter column track_opens drop not null, alter column track_clicks drop not null`,
];
