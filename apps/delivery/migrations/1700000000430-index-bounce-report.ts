import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexBounceReport1700000000430 implements MigrationInterface {
  name = 'IndexBounceReport1700000000430';

  async up(runner: QueryRunner): Promise<void> {
    // Reports are deleted by age, across organizations.
    await runner.query(`create index bounce_report_age on bounce_report (report_id)`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
