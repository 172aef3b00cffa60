import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexReportMessage1700000001130 implements MigrationInterface {
  name = 'IndexReportMessage1700000001130';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // The reports of one message; the table holds those of 30 days.
  `create index bounce_report_message on bounce_report (organization_id, message_id)`,
];
