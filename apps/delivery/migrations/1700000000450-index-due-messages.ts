import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexDueMessages1700000000450 implements MigrationInterface {
  name = 'IndexDueMessages1700000000450';

  async up(runner: QueryRunner): Promise<void> {
    // Where more is due than can be sent, organizations have their turns.
    await runner.query(
      `create index message_due_of_organization on message (kind, organization_id, due_at) where due_at is not null`,
    );
    // Few of the waiting messages are leased; they are searched for leases that ended.
    await runner.query(`create index message_held on message (due_at) where owner is not null`);
    // A month that was not analysed yet promises one row by any index that begins with what all rows of an organization
    // share: with the send behind it, one message was looked for by its id among all of them.
    await runner.query(
      `create unique index message_of_send on message (send_id, subscriber_id, period, organization_id)`,
    );
    await runner.query(`alter table message drop constraint message_period_organization_id_send_id_subscriber_id_key`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
