import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long ended runs are kept. A period that an operator has set for their history stays. */
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
  // 25 months was the default before.
  `insert into retention (data, keep)
   select 'runs', case when keep = interval '25 months' then interval '13 months' else keep end
   from partitioned where table_name = 'run_history'`,
  `update partitioned set data = 'runs', keep_while = 'exists (select from run r where r.organization_id = part.organization_id
     and r.run_id = part.run_id and r.finished_at is null)' where table_name = 'run_history'`,
];
