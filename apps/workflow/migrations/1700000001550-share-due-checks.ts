import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/** Tests of filters are claimed organization by organization where a shard has many, as due runs are. */
export class ShareDueChecks1700000001550 implements MigrationInterface {
  name = 'ShareDueChecks1700000001550';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      withShortLocks(`create index run_check_of_organization on run (shard, organization_id, check_at)
        where state in ('ACTIVE', 'WAITING') and check_at is not null;`),
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
