import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long organizations keep data, where that is shorter than the installation's period. */
export class CreateRetentionPeriod1700000001220 implements MigrationInterface {
  name = 'CreateRetentionPeriod1700000001220';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table retention_period (
      organization_id uuid not null,
      data text not null,
      months int not null check (months > 0),
      primary key (organization_id, data)
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
