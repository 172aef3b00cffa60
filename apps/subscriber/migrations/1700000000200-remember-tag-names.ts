import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps former names of tags: links of sent mail name a tag and must find it after a rename. */
export class RememberTagNames1700000000200 implements MigrationInterface {
  name = 'RememberTagNames1700000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table tag add column former_keys text[] not null default '{}'`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
