import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the audiences that hold addresses still, the oldest first. */
export class FindHeldAudiences1700000000240 implements MigrationInterface {
  name = 'FindHeldAudiences1700000000240';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index audience_held on audience (created_at) where released_at is null`);
    // Filters may name an address; nothing reads them once the audience is frozen.
    await runner.query(`update audience set filters = '[]' where released_at is not null`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
