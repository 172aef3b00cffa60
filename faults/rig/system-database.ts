import type { TestSystem } from '#testing';
import pg from 'pg';

/** Runs statements in the system's database, past its services. */
export const withDatabase = <T>(system: TestSystem, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withDatabaseAt(system.environment.DATABASE_URL!, work);

/** The same in the database of a cell. */
export async function withDatabaseAt<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** How many statements of the system wait for a lock; asked outside of transactions, which see one moment only. */
export const countWaiting = (system: TestSystem): Promise<number> =>
  withDatabase(system, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      `select count(distinct pid)::int as n from pg_locks join pg_stat_activity a using (pid)
       where not granted and a.datname = current_database()`,
    );
    return rows[0]!.n;
  });
