import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddCell1700000000450 implements MigrationInterface {
  name = 'AddCell1700000000450';

  async up(runner: QueryRunner): Promise<void> {
    // Null for the home: where every organization is until there is another cell.
    await runner.query('alter table organization add column cell text');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
