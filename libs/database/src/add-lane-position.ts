import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far a lane was published or applied, and gaps in what was applied; a migration of each service, after its own. */
export class AddLanePosition1700000001210 implements MigrationInterface {
  name = 'AddLanePosition1700000001210';

  async up(runner: QueryRunner): Promise<void> {
    // Of a consumer: the stream's creation, the sequence, and the last message's number by source; of a publisher: the
    // number of its last message.
    await runner.query(`alter table lane_lease add column position jsonb`);
    await runner.query(`create table event_gap (
      consumer text not null,
      source text not null,
      lane smallint not null,
      -- The last message that was applied before the gap, and the first one after it.
      after_number bigint not null,
      before_number bigint not null,
      detected_at timestamptz(3) not null default clock_timestamp(),
      resolved_at timestamptz(3),
      primary key (consumer, source, lane, after_number)
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
