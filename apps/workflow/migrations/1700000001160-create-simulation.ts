import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Simulations of workflows over past events: what each plays, how far it is, and its sums. */
export class CreateSimulation1700000001160 implements MigrationInterface {
  name = 'CreateSimulation1700000001160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table simulation (
      organization_id uuid not null,
      simulation_id uuid not null,
      workflow_id uuid not null,
      version int,
      draft_at timestamptz(3) not null,
      draft jsonb not null,
      from_at timestamptz(3) not null,
      to_at timestamptz(3) not null,
      status text not null check (status in ('RUNNING', 'COMPLETED', 'FAILED')),
      failure text,
      after_id uuid,
      subscribers_read int not null default 0,
      total int,
      totals jsonb not null,
      attempts int not null default 0,
      until timestamptz(3) not null default '-infinity',
      finished_at timestamptz(3),
      primary key (organization_id, simulation_id)
    )`);
    await runner.query(
      `create index simulation_of_workflow on simulation (organization_id, workflow_id, simulation_id)`,
    );
    await runner.query(`create index simulation_running on simulation (until) where status = 'RUNNING'`);
    await runner.query(`create index simulation_old on simulation (finished_at) where finished_at is not null`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
