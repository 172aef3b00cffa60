import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages to addresses that belong to no subscriber, so that no erasure finds them: they forget by age. */
export class CreateTestMessage1700000000490 implements MigrationInterface {
  name = 'CreateTestMessage1700000000490';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table test_message (
      organization_id uuid not null,
      message_id uuid not null,
      period date not null,
      primary key (message_id)
    )`);
    await runner.query(`insert into test_message (organization_id, message_id, period)
      select organization_id, message_id, period from message where subscriber_id is null and email <> ''`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
