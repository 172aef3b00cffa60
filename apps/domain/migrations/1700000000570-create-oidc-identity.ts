import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOidcIdentity1700000000570 implements MigrationInterface {
  name = 'CreateOidcIdentity1700000000570';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table oidc_identity (
      issuer text not null,
      subject text not null,
      user_id uuid not null references user_account on delete cascade,
      created_at timestamptz(3) not null,
      primary key (issuer, subject)
    )`);
    await runner.query(`create index oidc_identity_user on oidc_identity (user_id)`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
