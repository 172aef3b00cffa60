import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withShortLocks } from '#database';
import { DataSource } from 'typeorm';
import { until } from '#testing';
import type { TestDatabase } from '#testing';
import { freshDatabase } from './harness/service-plans.js';

describe('a migration that needs a lock on a table in use', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('lets others write while a long transaction keeps it waiting, and is applied as a whole after that', async () => {
    await dataSource.query('create table busy (n int)');
    const reader = dataSource.createQueryRunner();
    await reader.startTransaction();
    await reader.query('select * from busy');
    let isApplied = false;
    const statements = `alter table busy add column more int; create index busy_more on busy (more);`;
    const migration = dataSource.query(withShortLocks(statements)).then(() => (isApplied = true));
    await until('it waits for the lock', async () => {
      const waiting: unknown[] = await dataSource.query(
        `select 1 from pg_locks where relation = 'busy'::regclass and not granted`,
      );
      return waiting.length > 0;
    });
    // It would wait for the migration, and so for the reader, which ends only after it.
    await dataSource.query('insert into busy (n) values (1)');
    expect(isApplied).toBe(false);
    await reader.commitTransaction();
    await reader.release();
    await migration;
    expect(await dataSource.query('select n, more from busy')).toEqual([{ n: 1, more: null }]);
  });
});
