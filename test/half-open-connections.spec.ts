import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectBus } from '#bus';
import { RuntimeDataSource, runtimeDataSource } from '#database';
import { isTransient } from '#events';
import { until } from '#testing';
import type { TestDatabase } from '#testing';
import { freshDatabase } from './harness/service-plans.js';

/** A proxy whose open connections can go dead: it swallows their data, and neither side closes them. */
class DeadEnd {
  readonly #server: Server;
  #open: Socket[] = [];

  constructor(target: URL) {
    this.#server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      near.pipe(far);
      far.pipe(near);
      near.on('close', () => far.destroy());
      this.#open.push(near, far);
    });
  }

  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Makes the open connections dead; new connections work. */
  swallow(): void {
    for (const socket of this.#open.splice(0)) socket.unpipe().resume();
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Through which one gets to the server of a URL. */
const through = (url: string, port: number): string => {
  const way = new URL(url);
  way.host = `127.0.0.1:${port}`;
  return way.toString();
};

describe('a server that is gone without a word', () => {
  let database: TestDatabase;
  let way: DeadEnd;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  beforeEach(() => {
    way = new DeadEnd(new URL(database.url));
  });
  afterAll(() => database.drop());

  it('is left when a statement is not answered for longer than one may take, and found again', async () => {
    const url = through(database.url, await way.listen());
    const options = runtimeDataSource({ url, schema: 'delivery', poolSize: 2, applicationName: 'spec' });
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
    await way.close();
  });

  it('is missed by the bus within half a minute, which finds another', async () => {
    const nats = process.env.NATS_URL!;
    way = new DeadEnd(new URL(nats));
    const bus = await connectBus({ url: through(nats, await way.listen()), namespace: 'spec', name: 'spec' });
    way.swallow();
    await until('it is missed', () => bus.disconnects === 1, 32_000);
    await until('it is found again', () => bus.connected);
    await bus.close();
    await way.close();
  });
});
