import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The processes that live and the formats that all of them know; a migration of each service, after its own. A process
 * has a row for itself and one for each role in which it leases lanes.
 */
export class CreateReplica1700000001200 implements MigrationInterface {
  name = 'CreateReplica1700000001200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table replica (
      role text not null,
      owner uuid not null,
      -- The protocol version of its program.
      version int not null,
      until timestamptz(3) not null,
      primary key (role, owner)
    )`);
    await runner.query(`create table feature (
      name text primary key,
      -- Null while an operator keeps it off.
      enabled_at timestamptz(3)
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
