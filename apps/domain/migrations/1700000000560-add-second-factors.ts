import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddSecondFactors1700000000560 implements MigrationInterface {
  name = 'AddSecondFactors1700000000560';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table second_factor (
    factor_id uuid primary key,
    user_id uuid not null references user_account on delete cascade,
    kind text not null check (kind in ('TOTP', 'PASSKEY')),
    name text not null,
    sealed bytea,
    last_step bigint,
    relying_party text,
    credential_id text unique,
    public_key bytea,
    counter bigint,
    transports text[],
    last_used_at timestamptz(3),
    check (case kind when 'TOTP' then sealed is not null and last_step is not null
      else relying_party is not null and credential_id is not null and public_key is not null
        and counter is not null and transports is not null end)
  )`,
  `create index second_factor_user on second_factor (user_id, factor_id)`,
  `create unique index second_factor_totp on second_factor (user_id) where kind = 'TOTP'`,

  `create table recovery_code (
    user_id uuid not null references user_account on delete cascade,
    code_hash text not null,
    used_at timestamptz(3),
    primary key (user_id, code_hash)
  )`,

  // Losing them in a crash makes a user begin the sign-in or the set-up again.
  `create unlogged table sign_in_ticket (
    ticket_hash text primary key,
    user_id uuid,
    purpose text not null check (purpose in ('SIGN_IN', 'PASSKEY', 'ADD_TOTP', 'ADD_PASSKEY')),
    action text,
    target text,
    session_id uuid,
    device text,
    challenge text,
    sealed bytea,
    expires_at timestamptz(3) not null
  )`,
  `create index sign_in_ticket_end on sign_in_ticket (expires_at)`,

  `alter table organization add column require_second_factor boolean not null default false`,
];
