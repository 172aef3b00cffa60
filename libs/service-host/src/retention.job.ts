import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceBus } from '#bus';
import { serviceCaller } from '#bus';
import { retentionSettingRequests } from '#contracts';
import type { RetentionMonths } from '#contracts';
import { expiredAtOnce, RetentionRepository } from '#database';
import type { RetainedRows, Sql } from '#database';
import type { Job, ServiceDependencies } from './service-plan.js';

interface KeptOrganization {
  id: string;
  months: RetentionMonths;
}

export interface Deletions {
  sql: Sql;
  rows: readonly RetainedRows[];
  now: Date;
  /** Organizations in the order of their ids, after one; an empty page ends. */
  list(after: string | null): Promise<KeptOrganization[]>;
}

/** Deletes what is too old, organization by organization. Yields the number of rows after each statement. */
export async function* deleteExpired({ sql, rows, now, list }: Deletions): AsyncGenerator<number> {
  const retention = new RetentionRepository(sql);
  const periods = await retention.listPeriods();
  const standing = new Set<string>();
  for (const { table, dropped } of rows)
    if (dropped && (await retention.hasKeptPartition(table, now))) standing.add(table);
  for (let page = await list(null); page.length > 0; page = await list(page.at(-1)!.id)) {
    for (const { id, months } of page) {
      for (const one of rows) {
        const own = (months as Record<string, number | undefined>)[one.data] ?? null;
        const installation = periods.get(one.data) ?? null;
        const isShorter = own !== null && (installation === null || own < installation);
        if (one.dropped && !isShorter && !standing.has(one.table)) continue;
        const before = await retention.findBefore(one.data, own, now);
        if (!before) continue;
        if (isShorter) await retention.updateHorizon(id, one.data, before);
        await retention.prepare(one, id, before);
        for (let n = expiredAtOnce; n === expiredAtOnce; yield n) n = await retention.delete(one, id, before);
      }
    }
  }
}

/** Hours of the day in UTC, from and to, in which rows are deleted. */
const night = { from: 1, to: 5 };
/** Deleting takes a tenth of the time of one connection, so at most a tenth of a core. */
const restRatio = 9;
const organizationsAtOnce = 500;

/** Deletes by night what organizations keep for a shorter time than the installation, and rows without partitions. */
export function retentionJob(
  rows: readonly RetainedRows[],
  { dataSource, bus }: Pick<ServiceDependencies, 'dataSource'> & { bus: Pick<ServiceBus, 'client'> },
): Job {
  let tonight: { day: string; deletions: AsyncGenerator<number> | null } | null = null;
  const list = async (after: string | null) => {
    const settings = bus.client(retentionSettingRequests);
    const caller = serviceCaller('', 'retention');
    return (await settings.list_retention({ after, limit: organizationsAtOnce }, caller)).organizations;
  };
  return {
    name: 'delete expired data',
    everyMs: 300_000,
    untilNone: true,
    run: async () => {
      const now = new Date(Date.now());
      const day = now.toISOString().slice(0, 10);
      if (now.getUTCHours() < night.from || now.getUTCHours() >= night.to) return 0;
      if (tonight?.day !== day)
        tonight = { day, deletions: deleteExpired({ sql: dataSource.manager, rows, now, list }) };
      if (!tonight.deletions) return 0;
      const { done } = await tonight.deletions.next().catch((error: unknown) => {
        // A generator that threw has ended; the next run begins again.
        tonight = null;
        throw error;
      });
      if (done) tonight.deletions = null;
      await pause((Date.now() - now.getTime()) * restRatio);
      return done ? 0 : 1;
    },
  };
}
