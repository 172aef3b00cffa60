import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { hasRoom } from '#database';
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
    sql = await new DataSource({ type: 'postgres', url: database.url, schema: 'delivery' }).initialize();
    await sql.query('set search_path to delivery, public');
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

  it('forget dead letters that were put aside or replayed more than 30 days ago', async () => {
    await sql.query(
      `insert into dead_letter (dead_letter_id, consumer, event, error, attempts, replayed_at)
       select uuid_floor(now() - made * interval '1 day'), 'delivery', '{}', 'old', 1, now() - replayed * interval '1 day'
       from (values (31, null), (29, null), (32, 1), (28, 27)) letter(made, replayed)`,
    );
    expect(await new DeadLetterRepository(sql.manager).deleteOld()).toBe(2);
    expect(await sql.query('select count(*)::int as n from dead_letter')).toEqual([{ n: 2 }]);
  });
});
