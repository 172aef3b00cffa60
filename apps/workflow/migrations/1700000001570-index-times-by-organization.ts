import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/**
 * The indexes of due runs by organization have a condition without `state`, so that statements without it can use no
 * other index of due runs, which may be of many organizations. Runs that ended have no times.
 */
export class IndexTimesByOrganization1700000001570 implements MigrationInterface {
  name = 'IndexTimesByOrganization1700000001570';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      withShortLocks(`create index run_due_by_organization on run (shard, organization_id, next_action_at)
        where next_action_at is not null;`),
    );
    await runner.query(
      withShortLocks(`create index run_check_by_organization on run (shard, organization_id, check_at)
        where check_at is not null;`),
    );
    await runner.query(withShortLocks(`drop index run_due_of_organization; drop index run_check_of_organization;`));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
