import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePeople1700000000480 implements MigrationInterface {
  name = 'CreatePeople1700000000480';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table user_account (
    user_id uuid primary key,
    email text not null,
    email_key text not null unique,
    name text not null,
    locale text,
    timezone text,
    password_hash text not null,
    operator boolean not null default false,
    last_seen_at timestamptz(3),
    updated_at timestamptz(3) not null
  )`,

  `create table membership (
    organization_id uuid not null references organization,
    user_id uuid not null references user_account,
    role text not null check (role in ('viewer', 'editor', 'approver', 'admin', 'owner')),
    created_at timestamptz(3) not null,
    primary key (organization_id, user_id)
  )`,
  `create index membership_user on membership (user_id)`,

  // One open invitation an address: inviting again renews it.
  `create table invitation (
    organization_id uuid not null references organization,
    invitation_id uuid not null unique,
    email text not null,
    email_key text not null,
    role text not null check (role in ('viewer', 'editor', 'approver', 'admin', 'owner')),
    token_hash text not null unique,
    invited_by uuid,
    expires_at timestamptz(3) not null,
    primary key (organization_id, email_key)
  )`,
  `create index invitation_end on invitation (expires_at)`,

  `create table session (
    session_id uuid primary key,
    user_id uuid not null references user_account,
    secret_hash text not null unique,
    browser text,
    ip text,
    signed_in_at timestamptz(3) not null,
    last_used_at timestamptz(3) not null
  )`,
  `create index session_of_user on session (user_id, last_used_at)`,
  `create index session_use on session (last_used_at)`,

  // Setup, reset and change of address. Using a link deletes it.
  `create table one_time_link (
    token_hash text primary key,
    kind text not null check (kind in ('SETUP', 'RESET', 'ADDRESS')),
    user_id uuid references user_account on delete cascade,
    email text,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  )`,
  `create index one_time_link_user on one_time_link (user_id, kind)`,
  `create index one_time_link_end on one_time_link (expires_at)`,

  // Failed attempts. Losing them in a crash only forgets a slowdown of minutes.
  `create unlogged table sign_in_count (
    key text primary key,
    since timestamptz(3) not null,
    failures int not null,
    retry_at timestamptz(3) not null
  )`,
  `create index sign_in_count_since on sign_in_count (since)`,

  `alter table api_token drop constraint api_token_scopes_check`,
  `alter table api_token add constraint api_token_scopes_check
     check (scopes <@ array['read', 'write', 'test', 'send', 'admin'] and scopes <> '{}')`,

  // Approvals hold what is approved. What waits under the former scheme lacks it, and must be asked for again.
  `alter table approval
    alter column token_id drop not null,
    add column user_id uuid,
    add column call_id text,
    add column subject jsonb,
    add column content_hash text,
    add column sealed bytea,
    add column outcome bytea,
    add column expires_at timestamptz(3),
    add column decided_by uuid,
    add column decided_scopes text[],
    add column note text,
    drop constraint approval_state_check`,
  `alter table approval add constraint approval_state_check check (state in
     ('PENDING', 'EXECUTING', 'EXECUTED', 'FAILED', 'REJECTED', 'EXPIRED', 'WITHDRAWN', 'APPROVED'))`,
  `update approval set state = 'EXPIRED' where state = 'PENDING'`,
  `create index approval_asker on approval (organization_id, (coalesce(user_id, token_id)), request_hash, approval_id)`,
  `create index approval_executing on approval (decided_at) where state = 'EXECUTING'`,

  `alter table audit_entry
    alter column token_id drop not null,
    add column user_id uuid,
    add column session_id uuid,
    add column ip text,
    add column approved_by uuid`,

  `alter table organization
    add column approvals text not null default 'AGENTS' check (approvals in ('AGENTS', 'ALL')),
    add column approval_hours int not null default 24 check (approval_hours between 1 and 168),
    add column token_days_max int check (token_days_max between 1 and 366),
    add column send_delay_seconds int not null default 15 check (send_delay_seconds between 0 and 300)`,
];
