import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long messages and what belongs to them are kept. A period that an operator has set for messages stays. */
export class SetRetention1700000001220 implements MigrationInterface {
  name = 'SetRetention1700000001220';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `insert into retention (data, keep)
   select 'messages', coalesce(keep, interval '25 months') from partitioned where table_name = 'message'
   union all values ('onlineVersions', interval '13 months'), ('messageSources', interval '90 days')`,
  `update partitioned set data = 'messages' where table_name in ('message', 'message_link')`,
  `update partitioned set keep_while = 'due_at is not null' where table_name = 'message'`,
];
