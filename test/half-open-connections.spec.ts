import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { BusServer, connectBus, connectionOptions, serviceCaller } from '#bus';
import { RuntimeDataSource, runtimeDataSource } from '#database';
import { isTransient } from '#events';
import { SilentProxy, until } from '#testing';
import type { TestDatabase } from '#testing';
import { freshDatabase } from './harness/service-plans.js';

describe('a server that is gone without a word', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  it('is left when a statement is not answered for longer than one may take, and found again', async () => {
    const way = await SilentProxy.start(database.url);
    const options = runtimeDataSource({ url: way.url, schema: 'delivery', poolSize: 2, applicationName: 'spec' });
    const extra = { ...(options.extra as object), idleTimeoutMs: 5_000 };
    const sql = await new RuntimeDataSource({ ...options, extra }).initialize();
    expect(await sql.query('select 1 as n')).toEqual([{ n: 1 }]);
    // What may take longer is waited for; so is what comes after a pause.
    await sql.transaction(async (manager) => {
      await manager.query(`set local statement_timeout = '10min'`);
      expect(await manager.query('select 2 as n from pg_sleep(6)')).toEqual([{ n: 2 }]);
    });
    way.swallow();
    const startedAt = performance.now();
    const failed = await sql.query('select 3').catch((error: unknown) => error);
    expect(isTransient(failed)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(await sql.query('select 4 as n')).toEqual([{ n: 4 }]);
    await sql.destroy();
    await way.stop();
  });

  it('loses no call that changes nothing: it is made again over the next connection', async () => {
    const way = await SilentProxy.start(process.env.NATS_URL!);
    const namespace = `spec-${randomUUID()}`;
    const bus = await connectBus({ url: way.url, namespace, name: 'spec' });
    const server = await connect(connectionOptions({ url: process.env.NATS_URL!, name: 'spec' }));
    server.subscribe(`${namespace}.tools.domain.look`, {
      callback: (_error, message) => void message.respond(JSON.stringify({ ok: true, data: 'seen' })),
    });
    await server.flush();
    const deadlineMs = 25_000;
    const ask = (changesNothing: boolean) => {
      const caller = { ...serviceCaller('', 'spec'), deadline: Date.now() + deadlineMs };
      return bus.request('tools', { service: 'domain', name: 'look' }, {}, caller, { changesNothing });
    };
    expect(await ask(true)).toEqual({ ok: true, data: 'seen' });
    way.swallow();
    const startedAt = performance.now();
    const changing = ask(false);
    expect(await ask(true)).toEqual({ ok: true, data: 'seen' });
    expect(performance.now() - startedAt).toBeLessThan(deadlineMs / 2);
    // One that may have changed something is not made again.
    expect(await changing).toMatchObject({ ok: false, error: { reason: 'DEADLINE_EXCEEDED' } });
    await Promise.all([bus.close(), server.close()]);
    await way.stop();
  });

  it('loses no call that changes nothing at the service either, and a call that takes long is made once', async () => {
    const way = await SilentProxy.start(process.env.NATS_URL!);
    const namespace = `spec-${randomUUID()}`;
    const server = new BusServer({ url: way.url, namespace, name: 'spec', queue: 'domain' });
    let slowCalls = 0;
    server.addHandler('tools.domain.look', () => Promise.resolve({ ok: true, data: 'seen' }));
    server.addHandler('tools.domain.count', async () => {
      slowCalls += 1;
      // oxlint-disable-next-line tidings/fixed-waits -- longer than a caller waits for a service that says nothing
      await pause(6_000);
      return { ok: true, data: 'counted' };
    });
    await new Promise<void>((resolve) => void server.listen(() => resolve()));
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace, name: 'spec' });
    const ask = (name: string, changesNothing: boolean) => {
      const caller = serviceCaller('', 'spec', 15_000);
      return bus.request('tools', { service: 'domain', name }, {}, caller, { changesNothing });
    };
    expect(await ask('count', true)).toEqual({ ok: true, data: 'counted' });
    expect(slowCalls).toBe(1);
    way.swallow();
    const changing = ask('look', false);
    expect(await ask('look', true)).toEqual({ ok: true, data: 'seen' });
    // One that may have changed something is not made again.
    expect(await changing).toMatchObject({ ok: false, error: { reason: 'DEADLINE_EXCEEDED' } });
    await Promise.all([bus.close(), server.close()]);
    await way.stop();
  });

  it('is missed by the bus within half a minute, which finds another', async () => {
    const way = await SilentProxy.start(process.env.NATS_URL!);
    const bus = await connectBus({ url: way.url, namespace: 'spec', name: 'spec' });
    way.swallow();
    await until('it is missed', () => bus.disconnects === 1, 32_000);
    await until('it is found again', () => bus.connected);
    await bus.close();
    await way.stop();
  });
});
