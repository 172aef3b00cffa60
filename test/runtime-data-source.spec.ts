import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isUniqueViolation, RuntimeDataSource, runtimeDataSource } from '#database';
import { freshDatabase } from './harness/service-plans.js';

describe('the data source of a service', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let sql: RuntimeDataSource;
  beforeAll(async () => {
    database = await freshDatabase();
    const options = { url: database.url, schema: 'delivery', poolSize: 1, applicationName: 'spec' };
    sql = await new RuntimeDataSource(runtimeDataSource(options)).initialize();
    await sql.query('create table item (id int primary key)');
  });
  beforeEach(() => sql.query('truncate item'));
  afterAll(async () => {
    await sql.destroy();
    await database.drop();
  });
  const items = () => sql.query<{ id: number }[]>('select id from item order by id');

  it('returns rows, and of updates and deletes also their number', async () => {
    expect(await sql.query('insert into item values ($1), ($2) returning id', [1, 2])).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await sql.query('update item set id = id + 10 where id = $1 returning id', [2])).toEqual([[{ id: 12 }], 1]);
    expect(await sql.query('delete from item')).toEqual([[], 2]);
  });

  it('commits what a transaction wrote, with its result', async () => {
    const result = await sql.transaction(async (manager) => {
      await manager.query('insert into item values (1)');
      return await manager.query('insert into item values (2) returning id');
    });
    expect(result).toEqual([{ id: 2 }]);
    expect(await items()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('undoes a transaction that throws, and serves the next one on the same connection', async () => {
    const failed = sql.transaction(async (manager) => {
      await manager.query('insert into item values (1)');
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    await sql.transaction((manager) => manager.query('insert into item values (2)'));
    expect(await items()).toEqual([{ id: 2 }]);
  });

  it('reports a violation of a key, in a transaction and outside of one', async () => {
    const twice = 'insert into item values (1), (1)';
    const alone = await sql.query(twice).catch((error: unknown) => error);
    const within = await sql.transaction((manager) => manager.query(twice)).catch((error: unknown) => error);
    expect([alone, within].map(isUniqueViolation)).toEqual([true, true]);
  });

  it('fails a transaction that goes on after a failed statement, since nothing was committed', async () => {
    const failed = sql.transaction(async (manager) => {
      await manager.query('insert into item values (1)');
      await manager.query('insert into item values (1)').catch(() => undefined);
    });
    await expect(failed).rejects.toThrow('undone');
    expect(await items()).toEqual([]);
  });

  it('lets no statement into the connection after the end of its transaction', async () => {
    const late = await sql.transaction((manager) =>
      Promise.resolve(() => manager.query('insert into item values (1)')),
    );
    await expect(late()).rejects.toThrow('after the end');
    expect(await items()).toEqual([]);
  });

  it('replaces a connection that the server ended', async () => {
    const ended = sql.transaction((manager) => manager.query('select pg_terminate_backend(pg_backend_pid())'));
    await expect(ended).rejects.toThrow();
    expect(await sql.query('select 1 as n')).toEqual([{ n: 1 }]);
  });
});
