import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddAccess1700000000500 implements MigrationInterface {
  name = 'AddAccess1700000000500';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // user_id: the member whose rights bound a PERSONAL token. created_by is null for the operator's command.
  `alter table api_token
    add column kind text not null default 'ORGANIZATION' check (kind in ('ORGANIZATION', 'PERSONAL')),
    add column user_id uuid,
    add column created_by uuid,
    add column toolsets text[],
    add column end_notices int not null default 0`,
  `create index api_token_of_user on api_token (user_id) where user_id is not null`,
  `create index api_token_end on api_token (expires_at) where revoked_at is null and created_by is not null`,

  // Secrets that a rotation replaced and that still work for some hours.
  `create table former_token_secret (
    token_hash text primary key,
    token_id uuid not null references api_token (token_id),
    ends_at timestamptz(3) not null
  )`,
  `create index former_token_secret_token on former_token_secret (token_id)`,

  `create table audit_export (
    organization_id uuid not null references organization,
    export_id uuid not null unique,
    format text not null check (format in ('CSV', 'JSON')),
    filter jsonb not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, export_id)
  )`,
  `create index audit_entry_ip on audit_entry (audit_id) where ip is not null`,
];
