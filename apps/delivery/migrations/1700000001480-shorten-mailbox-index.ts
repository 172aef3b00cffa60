import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/**
 * Indexes the mailboxes of the ledger by their hash alone. A mailbox gets few messages a month, so its message ids need no
 * order here, and equal hashes share an entry: 21 instead of 51 bytes a message.
 */
export class ShortenMailboxIndex1700000001480 implements MigrationInterface {
  name = 'ShortenMailboxIndex1700000001480';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      withShortLocks(`create index campaign_message_mailbox_hash on campaign_message (mailbox_hash);
        drop index campaign_message_mailbox;`),
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
