import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What events may start is taken organization by organization. */
export class ShareStarts1700000000502 implements MigrationInterface {
  name = 'ShareStarts1700000000502';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index start_request_of_organization on start_request (organization_id, seq)`);
    await runner.query(`drop index start_request_due`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
