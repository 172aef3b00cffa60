import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrganization1700000000400 implements MigrationInterface {
  name = 'CreateOrganization1700000000400';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table organization (
    organization_id uuid primary key,
    number int generated always as identity unique,
    name text not null,
    timezone text not null,
    address text,
    plan text not null check (plan in ('FREE', 'PREMIUM', 'ENTERPRISE')),
    double_opt_in boolean not null,
    currency text not null,
    rate_per_minute int,
    updated_at timestamptz(3) not null default clock_timestamp()
  )`,

  `create table api_token (
    organization_id uuid not null references organization,
    token_id uuid not null unique,
    token_hash text not null unique,
    last_four text not null,
    name text not null,
    scopes text[] not null check (scopes <@ array['read', 'write', 'send'] and scopes <> '{}'),
    self_confirm boolean not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    primary key (organization_id, token_id)
  )`,

  `create table sending_domain (
    organization_id uuid not null references organization,
    domain_id uuid not null,
    domain text not null,
    sandbox boolean not null,
    status text not null check (status in ('PENDING', 'VERIFIED', 'FAILED')),
    dkim_status text not null check (dkim_status in ('PENDING', 'VERIFIED', 'FAILED')),
    mail_from_status text not null check (mail_from_status in ('PENDING', 'VERIFIED', 'FAILED')),
    mail_from_domain text not null,
    verification_token text not null,
    checked_at timestamptz(3),
    failing_since timestamptz(3),
    primary key (organization_id, domain_id),
    unique (organization_id, domain)
  )`,
  // Several organizations may add a domain; once one has it VERIFIED, no other can.
  `create unique index sending_domain_owner on sending_domain (domain) where status = 'VERIFIED'`,

  `create table dkim_key (
    organization_id uuid not null,
    dkim_key_id uuid not null,
    domain_id uuid not null,
    selector text not null,
    public_key text not null,
    private_key_sealed bytea not null,
    wrapping_key_id text not null,
    primary key (organization_id, dkim_key_id),
    foreign key (organization_id, domain_id) references sending_domain
  )`,
  `create index dkim_key_of_domain on dkim_key (organization_id, domain_id, dkim_key_id)`,

  `create table sender (
    organization_id uuid not null references organization,
    sender_id uuid not null,
    domain_id uuid not null,
    display_name text not null,
    local_part text not null,
    reply_to text,
    is_default boolean not null,
    last_used_at timestamptz(3),
    primary key (organization_id, sender_id),
    foreign key (organization_id, domain_id) references sending_domain
  )`,
  `create unique index sender_default on sender (organization_id) where is_default`,
  `create unique index sender_address on sender (organization_id, domain_id, lower(local_part))`,

  // Lost in a crash of the server, which costs one window at most. The room left in each page keeps updates HOT.
  `create unlogged table rate_ring (
    organization_id uuid primary key,
    per_minute int not null,
    head bigint not null,
    slots int[] not null,
    granted int not null
  ) with (fillfactor = 30)`,
];
