import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NotifyApprovers1700000000520 implements MigrationInterface {
  name = 'NotifyApprovers1700000000520';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `alter table user_account add column approval_mail text not null default 'EACH'
     check (approval_mail in ('EACH', 'HOURLY', 'NEVER'))`,

  // Mails to approvers that are not sent yet. due_at names a digest; next_at moves on with each attempt.
  `create table approval_notice (
    organization_id uuid not null references organization,
    approval_id uuid not null,
    user_id uuid not null references user_account on delete cascade,
    due_at timestamptz(3) not null,
    next_at timestamptz(3) not null,
    primary key (user_id, organization_id, approval_id)
  )`,
  `create index approval_notice_next on approval_notice (next_at)`,

  // The sentence and the name of the record are made of parameters. The columns message and subject hold those of before.
  `alter table approval add column sealed_text bytea`,
];
