import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An effect keeps its name while lines are added to the history of its run. */
export class KeepArrivals1700000000503 implements MigrationInterface {
  name = 'KeepArrivals1700000000503';

  async up(runner: QueryRunner): Promise<void> {
    // Null: as many as there are lines now.
    await runner.query(`alter table run add column arrival int`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
