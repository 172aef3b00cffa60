import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { hasRoom, maintainPartitions, newId, newUuid, wireId } from '#database';
import { DeadLetterRepository } from '#events';
import { readEnvironment } from '#service-host';
import { until } from '#testing';
import type { TestDatabase } from '#testing';
import { boot } from '../apps/subscriber/src/boot.js';
import { subscriberEnvironment } from '../apps/subscriber/src/config.js';
import { environmentFor, freshDatabase } from './harness/service-plans.js';

describe('tables that are cut into days or months', () => {
  let database: TestDatabase;
  let sql: DataSource;
  beforeAll(async () => {
    database = await freshDatabase();
    const extra = { options: '-c search_path=delivery,public' };
    sql = await new DataSource({ type: 'postgres', url: database.url, schema: 'delivery', extra }).initialize();
  });
  afterAll(async () => {
    await sql.destroy();
    await database.drop();
  });

  // By the day at the moment they are asked: the file may have been loaded the day before.
  const day = (offset: number) =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
  const nextMonth = () => {
    const date = new Date();
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)).toISOString().slice(0, 7).replace('-', '');
  };

  const monthOf = (at: Date) => at.toISOString().slice(0, 7).replace('-', '');
  const insertMessage = `insert into message (organization_id, message_id, period, kind, email, subject, state)
    values (gen_random_uuid(), $1, date_trunc('month', $2::timestamptz at time zone 'UTC'), 'TRANSACTIONAL', 'a@b.example', '', 'SENT')`;

  it.each([
    ['outbox today', () => `outbox_${day(0)}`],
    ['inbox tomorrow', () => `inbox_${day(1)}`],
    ['message next month', () => `message_${nextMonth()}`],
  ])('are not ready without a part of %s, and are again once it is made', async (_which, partition) => {
    expect(await hasRoom(sql.manager)).toBe(true);
    await sql.query(`drop table ${partition()}`);
    expect(await hasRoom(sql.manager)).toBe(false);
    await sql.query('select maintain_partitions()');
    expect(await hasRoom(sql.manager)).toBe(true);
  });

  it('copy no large batch of events when a row of the outbox is published, today and in days to come', async () => {
    await sql.query(`drop table outbox_${day(1)}`);
    await sql.query('select maintain_partitions()');
    const parts: { name: string; options: string[] }[] = await sql.query(
      `select c.relname as name, c.reloptions as options from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'outbox'::regclass`,
    );
    expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining([`outbox_${day(0)}`, `outbox_${day(1)}`]));
    for (const { options } of parts) expect(options).toContain('toast_tuple_target=128');
    const events = JSON.stringify(Array.from({ length: 60 }, () => ({ id: newUuid() })));
    const batch = `insert into outbox (outbox_id, lane, organization_id, subject, events) values ($1, 0, $1, 'long', $2)`;
    for (let n = 0; n < 40; n++) await sql.query(batch, [newUuid(), events]);
    await sql.query(`update outbox set published_at = now() where subject = 'long'`);
    const [size]: [{ bytes: number }] = await sql.query(`select pg_relation_size('outbox_${day(0)}')::int as bytes`);
    // Two versions of 40 rows, without their events, which compressed are as long as such a row may be.
    expect(size.bytes).toBeLessThan(10 * events.length);
    await sql.query(`delete from outbox where subject = 'long'`);
  });

  it('have room as soon as a service is up that was away for longer than they reach ahead', async () => {
    const daily = ['outbox', 'inbox'].flatMap((table) => [0, 1].map((n) => `subscriber.${table}_${day(n)}`));
    await sql.query(`drop table ${daily.join(', ')}`);
    const environment = { ...environmentFor(database.url), NATS_NAMESPACE: `t-${randomUUID().slice(0, 8)}` };
    const service = await boot(readEnvironment(subscriberEnvironment, { ...environment, MIGRATE: 'never' }));
    try {
      // A check that is late counts as failed; the hourly job would come too late to help.
      await until('it is ready', async () => {
        const ready = await fetch(`http://127.0.0.1:${service.facts!.healthPort as number}/readyz`);
        return ready.status === 200;
      });
    } finally {
      await service.stop();
    }
  });

  it('drop old partitions, but no unpublished event', async () => {
    const old = day(-9);
    for (const table of ['outbox', 'inbox']) {
      await sql.query(`create table ${table}_${old} partition of ${table}
        for values from (uuid_floor(now() - interval '9 days')) to (uuid_floor(now() - interval '8 days'))`);
    }
    await sql.query(
      `insert into outbox (outbox_id, lane, organization_id, subject, events)
       select uuid_floor(now() - interval '200 hours'), 0, gen_random_uuid(), 'delivery', '[]'`,
    );
    const exists = async () =>
      (
        await sql.query<[{ outbox: boolean; inbox: boolean }]>(
          `select to_regclass('outbox_${old}') is not null as outbox, to_regclass('inbox_${old}') is not null as inbox`,
        )
      )[0];
    await sql.query('select maintain_partitions()');
    expect(await exists()).toEqual({ outbox: true, inbox: false });
    await sql.query('update outbox set published_at = now()');
    await sql.query('select maintain_partitions()');
    expect(await exists()).toEqual({ outbox: false, inbox: false });
  });

  it('come and go while a long transaction reads and writes their table, and stop no statement of others', async () => {
    const virtual = new Date(Date.now() + 5 * 31 * 86_400_000);
    await sql.query(`update retention set keep = interval '1 month' where data = 'messages'`);
    const long = sql.createQueryRunner();
    await long.startTransaction();
    await long.query('select count(*) from message');
    await long.query(insertMessage, [randomUUID(), new Date()]);
    const others = sql.createQueryRunner();
    await others.query(`set statement_timeout = '1s'`);
    let busy = true;
    const flow = (async () => {
      for (; busy; await others.query('select count(*) from message')) {
        await others.query(insertMessage, [randomUUID(), new Date()]);
      }
    })();
    const meanwhile = await maintainPartitions(sql.manager, { at: virtual, attempts: 3 });
    busy = false;
    await flow;
    expect(meanwhile.blocked).toEqual(['message']);
    expect(meanwhile.done).toContain(`attached message_${monthOf(virtual)}`);
    expect(meanwhile.done).not.toContain(`detached message_${monthOf(new Date())}`);
    await long.commitTransaction();
    const afterwards = await maintainPartitions(sql.manager, { at: virtual });
    expect(afterwards.blocked).toEqual([]);
    expect(afterwards.done).toEqual(
      expect.arrayContaining(['detached', 'dropped'].map((step) => `${step} message_${monthOf(new Date())}`)),
    );
    await others.query(insertMessage, [randomUUID(), virtual]);
    await others.release();
    await long.release();
    await sql.query(`update retention set keep = null where data = 'messages'`);
    await sql.query('update partitioned set since = current_date where table_name = $1', ['message']);
    expect((await maintainPartitions(sql.manager)).done).toContain(`attached message_${monthOf(new Date())}`);
    expect(await hasRoom(sql.manager)).toBe(true);
  });

  it('may be months of ids, and reach back to a given day', async () => {
    await sql.query('create table ledger (message_id uuid primary key) partition by range (message_id)');
    await sql.query('create index ledger_again on ledger (message_id)');
    await sql.query(
      `insert into partitioned (table_name, kind, keep, since) values ('ledger', 'month-uuid', null, '2025-03-09')`,
    );
    await sql.query('select maintain_partitions()');
    for (const at of ['2025-03-01T00:00:00.000Z', '2025-03-31T23:59:59.999Z', new Date().toISOString()]) {
      await sql.query('insert into ledger values (uuid_floor($1))', [at]);
    }
    expect(
      await sql.query(
        `select tableoid::regclass::text as partition, count(*)::int as rows from ledger group by 1 order by 1`,
      ),
    ).toEqual([
      { partition: 'ledger_202503', rows: 2 },
      { partition: `ledger_${monthOf(new Date())}`, rows: 1 },
    ]);
    expect(
      await sql.query(`select count(*)::int as n from pg_indexes where tablename = $1`, [
        `ledger_${monthOf(new Date())}`,
      ]),
    ).toEqual([{ n: 2 }]);
    await sql.query(`delete from partitioned where table_name = 'ledger'`);
    await sql.query('drop table ledger');
  });

  it('forget dead letters 30 days after they were put aside, open, replayed or discarded', async () => {
    const letters = new DeadLetterRepository(sql.manager);
    const organizationId = newId('org');
    const event = { id: newId('evt'), organizationId, name: 'tag.added', data: {} } as unknown as DomainEvent;
    const [open, replayed, discarded] = [newUuid(), newUuid(), newUuid()];
    for (const id of [open, replayed, discarded])
      await letters.insert({ id, consumer: 'delivery', event, error: 'Error: a bad day', attempts: 2 });
    await letters.take(wireId('dlt', replayed));
    await letters.updateDiscarded(organizationId, [wireId('dlt', discarded)], 'not needed');
    const after = (days: number) => new Date(Date.now() + days * 86_400_000);
    expect(await letters.deleteOld(after(29.9))).toBe(0);
    expect((await letters.listOpen(10)).map(({ id }) => id)).toEqual([wireId('dlt', open)]);
    expect(await letters.deleteOld(after(30.1))).toBe(3);
    expect(await letters.deleteOld(after(30.1))).toBe(0);
    expect(await sql.query('select from dead_letter')).toEqual([]);
  });
});
