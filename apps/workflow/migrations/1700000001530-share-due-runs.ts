import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/** Due runs of a shard are claimed organization by organization where there are many. */
export class ShareDueRuns1700000001530 implements MigrationInterface {
  name = 'ShareDueRuns1700000001530';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      withShortLocks(`create index run_due_of_organization on run (shard, organization_id, next_action_at)
        where state in ('ACTIVE', 'WAITING') and next_action_at is not null;`),
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
