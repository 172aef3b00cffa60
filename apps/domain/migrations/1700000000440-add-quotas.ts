import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddQuotas1700000000440 implements MigrationInterface {
  name = 'AddQuotas1700000000440';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // Quotas by name; a missing name has no limit.
  `create table plan (plan text primary key, quotas jsonb not null default '{}')`,
  `insert into plan (plan) values ('FREE'), ('PREMIUM'), ('ENTERPRISE')`,
  // An organization's own quotas go before its plan's.
  `alter table organization
    drop constraint organization_plan_check,
    add foreign key (plan) references plan,
    add column quotas jsonb not null default '{}',
    add column track_opens boolean not null default true,
    add column track_clicks boolean not null default true`,
];
