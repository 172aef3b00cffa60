import { until } from '#testing';
import type { TestSystem } from '#testing';
import type pg from 'pg';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import { withDatabase } from '../rig/system-database.js';

/** The services that apply the events of delivery. */
export const consumers = ['subscriber', 'campaign', 'workflow', 'delivery'] as const;
export type Consumer = (typeof consumers)[number];

const appliedSql = consumers
  .map(
    (service) =>
      `select '${service} ' || lane as lane, coalesce((position -> 'numbers' ->> 'delivery')::float8, 0) as number
       from ${service}.lane_lease where role = 'consumer ${service}'`,
  )
  .join(' union all ');

const publishedSql = `select lane::text, max(case when published_at is null then 'infinity' else coalesce(number, 0)::float8 end) as number
  from delivery.outbox group by lane`;

/** @returns the number of the last message of delivery that a consumer has applied, by "consumer lane" */
export async function readApplied(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ lane: string; number: number }>(appliedSql);
  return new Map(rows.map(({ lane, number }) => [lane, number]));
}

/** Waits until all consumers have applied everything that delivery has published, and nothing waits in its outbox. */
export const awaitApplied = (system: TestSystem, withinMs: number): Promise<void> =>
  withDatabase(system, (client) =>
    retryUntilAnswered(
      'events of delivery',
      async () => {
        const { rows } = await client.query<{ lane: string; number: number }>(publishedSql);
        const applied = await readApplied(client);
        for (const { lane, number } of rows)
          for (const service of consumers) {
            const last = applied.get(`${service} ${lane}`) ?? 0;
            if (last < number) throw new Error(`${service} has applied lane ${lane} up to ${last} of ${number}`);
          }
      },
      withinMs,
    ),
  );

/** Waits until nothing of delivery waits to be published. */
export const awaitPublished = (system: TestSystem, withinMs: number): Promise<void> =>
  withDatabase(system, (client) =>
    until(
      'all events of delivery are published',
      async () => {
        const { rowCount } = await client.query('select from delivery.outbox where published_at is null limit 1');
        return rowCount === 0;
      },
      withinMs,
      100,
    ),
  );

/** How many events services have put aside. */
export const countDeadLetters = (system: TestSystem): Promise<number> =>
  withDatabase(system, async (client) => {
    const counts = consumers.map((service) => `(select count(*) from ${service}.dead_letter)`);
    const { rows } = await client.query<{ n: number }>(`select (${counts.join(' + ')})::int as n`);
    return rows[0]!.n;
  });
