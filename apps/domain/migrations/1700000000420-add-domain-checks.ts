import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddDomainChecks1700000000420 implements MigrationInterface {
  name = 'AddDomainChecks1700000000420';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `alter table sending_domain
    add column verified_at timestamptz(3),
    add column checks jsonb not null default '{}',
    add column next_check_at timestamptz(3)`,
  `create index sending_domain_due on sending_domain (next_check_at) where next_check_at is not null`,

  `create table web_domain (
    organization_id uuid not null references organization,
    web_domain_id uuid not null,
    hostname text not null unique,
    status text not null default 'PENDING' check (status in ('PENDING', 'VERIFIED', 'FAILED')),
    checks jsonb not null default '{}',
    checked_at timestamptz(3),
    failing_since timestamptz(3),
    verified_at timestamptz(3),
    next_check_at timestamptz(3) not null,
    primary key (organization_id, web_domain_id)
  )`,
  `create index web_domain_due on web_domain (next_check_at)`,
];
