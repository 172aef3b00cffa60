import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/**
 * Indexes campaigns of a subscriber by the subscriber alone: entries of one subscriber share their key, so that a further
 * campaign adds 6 bytes instead of 40 to 60. Readers join every row with its campaign anyway.
 */
export class ShortenRecipientIndex1700000001490 implements MigrationInterface {
  name = 'ShortenRecipientIndex1700000001490';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      withShortLocks(`create index campaign_recipient_of_subscriber on campaign_recipient (subscriber_id);
        drop index campaign_recipient_subscriber;`),
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
