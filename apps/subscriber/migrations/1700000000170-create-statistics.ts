import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Planner statistics for texts as filters compare them. Without them, "name starts with a" is estimated to match one
 * row in two hundred. A page of many matches is then sorted out of all of them instead of being read off an index.
 */
export class CreateStatistics1700000000170 implements MigrationInterface {
  name = 'CreateStatistics1700000000170';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of ['email', 'name', 'phone', 'country']) {
      await runner.query(`create statistics subscriber_${column}_folded on (lower(${column})) from subscriber`);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
