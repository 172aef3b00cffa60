import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which request an executed call was a part of; a migration of each service, after its own. */
export class RememberWholeRequests1700000000900 implements MigrationInterface {
  name = 'RememberWholeRequests1700000000900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table executed_call add column whole_hash text`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
