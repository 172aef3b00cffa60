import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from './schema-migrator.js';
import { isLockTimeout } from './sql-state.js';

/**
 * Whether each partitioned table of the schema has room for the rows of this day or month and of the next: what the
 * maintenance missed shows here before a write fails.
 */
export async function hasRoom(sql: Sql): Promise<boolean> {
  const rows: { room: boolean }[] = await sql.query(
    `select bool_and(r.attached) as room
     from partitioned p, lateral partition_ranges(p.table_name, clock_timestamp()) r
     where r.to_at > clock_timestamp() and r.from_at <= clock_timestamp() + (r.to_at - r.from_at)`,
  );
  return rows[0]!.room;
}

export interface MaintenanceOptions {
  /** The instant by which partitions are wanted and dropped; the database's clock without it. */
  at?: Date;
  /** How often a step is tried whose lock is not free, before its table waits for the next run. */
  attempts?: number;
}

/**
 * Attaches the partitions of this range, the one before and the next two, then detaches and drops those whose time has
 * passed. Each step is a transaction that waits 200 ms at most for its lock, and so do the statements behind it.
 * @param sql runs each statement in a transaction of its own
 * @returns what was done, in order; and the tables whose lock was not free
 */
export async function maintainPartitions(
  sql: Sql,
  { at, attempts = 20 }: MaintenanceOptions = {},
): Promise<{ done: string[]; blocked: string[] }> {
  const tables: { name: string }[] = await sql.query(`select table_name as name from partitioned order by 1`);
  const done: string[] = [];
  const blocked: string[] = [];
  for (const { name } of tables) {
    for (let left = attempts; ;) {
      try {
        const [row]: { step: string | null }[] = await sql.query(
          `select maintain_partition($1, coalesce($2, clock_timestamp())) as step`,
          [name, at ?? null],
        );
        if (row!.step === null) break;
        done.push(row!.step);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        if (--left === 0) {
          blocked.push(name);
          break;
        }
        // What waited behind this step passes before the next try.
        await pause(300 + Math.random() * 400);
      }
    }
  }
  return { done, blocked };
}
