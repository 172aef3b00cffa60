import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The query of the outbox publisher as a function, which each connection plans once; a migration of each service, after
 * its own. With all days of the outbox in reach, planning took more than half of its time.
 */
export class PlanOutbox1700000001230 implements MigrationInterface {
  name = 'PlanOutbox1700000001230';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

/**
 * A plan for any values, which reads by an index also while a day's partition counts as empty. Compiling it would cost
 * more than it gains.
 */
const planOnce = `set plan_cache_mode to 'force_generic_plan' set jit to off set enable_seqscan to off set enable_bitmapscan to off set enable_sort to off`;

const statements = [
  `create function unpublished_batches(lanes smallint[], per_lane int)
   returns table (lane smallint, outbox_id uuid, events text) language plpgsql stable ${planOnce} as $$
  begin
    return query select l.lane, o.outbox_id, o.events::text from unnest(lanes) l(lane),
      lateral (select b.outbox_id, b.seq, b.events from outbox b where b.lane = l.lane and b.published_at is null
        order by b.seq limit per_lane) o
      order by l.lane, o.seq;
  end $$`,
];
