import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddApprovalAndAudit1700000000430 implements MigrationInterface {
  name = 'AddApprovalAndAudit1700000000430';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table approval (
    organization_id uuid not null references organization,
    approval_id uuid not null,
    token_id uuid not null references api_token (token_id),
    request_hash text not null,
    tool text not null,
    action text not null,
    message text not null,
    state text not null default 'PENDING' check (state in ('PENDING', 'APPROVED', 'REJECTED')),
    decided_at timestamptz(3),
    primary key (organization_id, approval_id)
  )`,
  `create index approval_call on approval (organization_id, token_id, request_hash, approval_id)`,
  // Across organizations: the operator decides, and names approvals by id alone.
  `create unique index approval_id on approval (approval_id)`,
  `create index approval_open on approval (approval_id) where state = 'PENDING'`,

  // The time of an entry is that of its id. No reference to tokens: the log outlives them.
  `create table audit_entry (
    organization_id uuid not null,
    audit_id uuid not null,
    token_id uuid not null,
    tool text not null,
    target text,
    source text not null,
    outcome text not null,
    request_id text not null,
    primary key (organization_id, audit_id)
  )`,
  `create index audit_entry_age on audit_entry (audit_id)`,
];
