import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { prepared, runtimeDataSource } from '#database';
import type { TestDatabase } from '#testing';
import { freshDatabase } from './harness/service-plans.js';

describe('statements that run all the time', () => {
  let database: TestDatabase;
  let sql: DataSource;
  beforeAll(async () => {
    database = await freshDatabase();
    const options = { url: database.url, schema: 'delivery', poolSize: 1, applicationName: 'prepared' };
    sql = await new DataSource(runtimeDataSource(options)).initialize();
  });
  afterAll(async () => {
    await sql.destroy();
    await database.drop();
  });

  const known = async (text: string) => {
    const [{ n }]: [{ n: number }] = await sql.query(
      `select count(*)::int as n from pg_prepared_statements where statement = $1`,
      [text],
    );
    return n;
  };

  it('are parsed once a connection, others each time; both answer the same', async () => {
    const often = prepared('add one', 'select $1::int + 1 as sum');
    const rarely = 'select $1::int + 1 as sum, now()';
    for (let n = 0; n < 10; n++) {
      expect(await sql.query(often, [n])).toEqual([{ sum: n + 1 }]);
      expect(await sql.query(rarely, [n])).toMatchObject([{ sum: n + 1 }]);
    }
    expect([await known(often), await known(rarely)]).toEqual([1, 0]);
    expect(() => prepared('add one', 'select 1')).toThrow('Two statements are named "add one".');
  });

  it('go on where a transaction failed, and where the table they write to was changed', async () => {
    await sql.query('create temporary table note (id int primary key, line text)');
    const insert = prepared(
      'insert note',
      'insert into note (id, line) values ($1, $2) on conflict do nothing returning line',
    );
    expect(await sql.query(insert, [1, 'a'])).toEqual([{ line: 'a' }]);
    await expect(sql.transaction(async (manager) => await manager.query(insert, ['x', 'b']))).rejects.toThrow();
    for (let n = 2; n < 10; n++) expect(await sql.query(insert, [n, 'c'])).toEqual([{ line: 'c' }]);
    await sql.query('alter table note add column more text');
    expect(await sql.query(insert, [10, 'd'])).toEqual([{ line: 'd' }]);
    expect(await sql.query(insert, [10, 'e'])).toEqual([]);
  });
});
