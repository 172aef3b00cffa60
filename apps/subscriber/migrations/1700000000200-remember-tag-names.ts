import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mail that has gone out names tags in its links: whoever follows one later means the tag, whatever it is called by then. */
export class RememberTagNames1700000000200 implements MigrationInterface {
  name = 'RememberTagNames1700000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table tag add column former_keys text[] not null default '{}'`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
