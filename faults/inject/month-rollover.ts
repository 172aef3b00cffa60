import type pg from 'pg';
import { maintainPartitions } from '#database';
import type { TestSystem } from '#testing';
import { withDatabase } from '../rig/system-database.js';
import { services } from './process-fault.js';

const schemas = services.filter((service) => service !== 'gateway');

const sqlOf = (client: pg.Client) => ({
  query: async (text: string, values?: unknown[]) => (await client.query(text, values)).rows as never,
});

/** Runs work on a connection for each schema, all at one time. */
const inEachSchema = <T>(system: TestSystem, work: (client: pg.Client) => Promise<T>): Promise<T[]> =>
  Promise.all(
    schemas.map((schema) =>
      withDatabase(system, async (client) => {
        await client.query(`set search_path = ${schema}, public`);
        return await work(client);
      }),
    ),
  );

/** As on the last day of a range: the next partitions are not there yet, and one of each kind is due to be dropped. */
async function turnBack(client: pg.Client): Promise<void> {
  const { rows: ahead } = await client.query<{ table: string; name: string }>(
    `select p.table_name as table, r.name from partitioned p, lateral partition_ranges(p.table_name, clock_timestamp()) r
     where r.attached and r.from_at > clock_timestamp()`,
  );
  for (const { table, name } of ahead) {
    await client.query(`alter table ${table} detach partition ${name}`);
    await client.query(`drop table ${name}`);
  }
  const { rows: kept } = await client.query<{ table: string; past: Date }>(
    `select p.table_name as table, clock_timestamp() - coalesce(r.keep, p.keep) - interval '5 months' as past
     from partitioned p left join retention r on r.data = p.data where coalesce(r.keep, p.keep) is not null`,
  );
  for (const { table, past } of kept) await client.query('select maintain_partition($1, $2)', [table, past]);
}

/** What the nightly maintenance of two replicas of each service does at the beginning of a month. */
async function carryOver(client: pg.Client): Promise<{ attached: number; dropped: number; blocked: string[] }> {
  const { done, blocked } = await maintainPartitions(sqlOf(client));
  const count = (step: string) => done.filter((one) => one.startsWith(step)).length;
  return { attached: count('attached'), dropped: count('dropped'), blocked };
}

/** Partitions are attached and dropped in all schemas, by two processes each, in the middle of the campaign. */
export async function prepareRollover(system: TestSystem) {
  await inEachSchema(system, turnBack);
  return {
    inject: async () => {
      const canWorkFrom = Date.now();
      const results = (await Promise.all([inEachSchema(system, carryOver), inEachSchema(system, carryOver)])).flat();
      const sum = (of: 'attached' | 'dropped') => results.reduce((total, result) => total + result[of], 0);
      const breaches = [
        ...(sum('attached') === 0 ? ['no partition was attached'] : []),
        ...(sum('dropped') === 0 ? ['no partition was dropped'] : []),
        ...results.flatMap(({ blocked }) => blocked.map((table) => `the partitions of ${table} got no lock`)),
      ];
      return { canWorkFrom, breaches };
    },
  };
}
