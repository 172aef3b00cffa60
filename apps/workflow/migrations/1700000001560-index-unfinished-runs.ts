import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/**
 * The index of a subscriber's open runs tests `finished_at`. By `state`, as indexes of due runs do, the planner may choose
 * it for due runs too, and read all that are open.
 */
export class IndexUnfinishedRuns1700000001560 implements MigrationInterface {
  name = 'IndexUnfinishedRuns1700000001560';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      withShortLocks(`create index run_unfinished on run (organization_id, subscriber_id) where finished_at is null;`),
    );
    await runner.query(withShortLocks(`drop index run_open;`));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
