import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { newId, newUuid, uuidOf } from '#database';
import { laneCount } from '#events';
import { openedEvent, until, writeOpensSql } from '#testing';
import { connectTo, startSystem } from '../../../test/harness/started-services.js';

jest.setTimeout(300_000);

/** Batches that are missed; one part of a repair has 200. */
const missed = 3_000;

describe('events rebuild, killed and repeated while events keep flowing', () => {
  let system: Awaited<ReturnType<typeof startSystem>>;
  let connected: Awaited<ReturnType<typeof connectTo>>;

  beforeAll(async () => {
    // Missing events are logged as errors.
    system = await startSystem({ LOG_LEVEL: 'fatal' });
    connected = await connectTo(system);
  });
  afterAll(async () => {
    await connected.close();
    await system.stop();
  });

  const query = <T>(sql: string, params?: unknown[]): Promise<T[]> => connected.query<T>(sql, params);
  const campaignId = newId('cmp');
  /** The organization need not exist: each event adds to the opens of its campaign. */
  const organizationId = newId('org');

  /** Writes batches of one event each, as delivery does. */
  async function write(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => openedEvent(organizationId, campaignId));
    await query(writeOpensSql, [
      events.map(() => newUuid()),
      events.map((_, n) => n % laneCount),
      uuidOf('org', organizationId),
      events.map((event) => JSON.stringify([event])),
    ]);
    connected.bus.broadcast('outbox.delivery', {});
  }

  /** The opens that the campaign service has counted: as they came (lanes from 0), or by a repair (lane -1). */
  const opens = async (): Promise<{ live: number; repaired: number }> => {
    const [row] = await query<{ live: number; repaired: number }>(
      `select coalesce(sum(opens) filter (where lane >= 0), 0)::int as live, coalesce(sum(opens) filter (where lane = -1), 0)::int as repaired
       from campaign.campaign_stat where campaign_id = $1`,
      [uuidOf('cmp', campaignId)],
    );
    return row!;
  };
  const isPublished = async () =>
    (await query(`select from delivery.outbox where published_at is null limit 1`)).length === 0;
  const openGaps = async () => (await query(`select from campaign.event_gap where resolved_at is null`)).length;

  /** Loses the messages with `missed` batches, while the campaign service reads none. */
  async function lose(): Promise<void> {
    await query(
      `update campaign.lane_lease set owner = $1, fence = fence + 1, until = clock_timestamp() + interval '1 hour'
       where role = 'consumer campaign'`,
      [randomUUID()],
    );
    await write(missed);
    await until('all is published', isPublished, 120_000);
    const { streams } = await jetstreamManager(connected.bus.connection);
    await streams.purge(`${connected.bus.namespace}_events`);
    await query(`update campaign.lane_lease set until = clock_timestamp() where role = 'consumer campaign'`);
  }

  /** The real command, in a process of its own. */
  function rebuild() {
    const main = join(process.env.TIDINGS_BUILD_DIR!, 'apps/cli/src/main.js');
    const settings = Object.entries(system.config).map(([name, value]) => [name, String(value)]);
    const child = spawn(process.execPath, [main, 'events', 'rebuild', 'campaign', '--json'], {
      env: { ...process.env, ...Object.fromEntries(settings) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (data: Buffer) => (said += data.toString()));
    const ended = once(child, 'exit').then(([status, signal]) => ({ status, signal, said }) as const);
    return { child, ended };
  }

  it('has effects once', async () => {
    await write(laneCount);
    await until('the first events are applied', async () => (await opens()).live === laneCount, 120_000);
    await lose();
    let written = laneCount;
    let flows = true;
    const flow = (async () => {
      while (flows) {
        await write(laneCount);
        written += laneCount;
      }
    })();
    try {
      await until('each lane has a gap', async () => (await openGaps()) === laneCount, 120_000);
      const killed = rebuild();
      await until('a part is applied', async () => (await opens()).repaired > 0, 60_000, 2);
      killed.child.kill('SIGKILL');
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL', said: '' });
      expect((await opens()).repaired).toBeLessThan(missed);
      expect(await openGaps()).toBe(laneCount);
      const seen = (await opens()).live;
      await until('events keep flowing', async () => (await opens()).live > seen, 60_000);

      const { status, said } = await rebuild().ended;
      expect(status).toBe(0);
      const { repairs } = JSON.parse(said) as { repairs: { applied: Record<string, number>; missing: number }[] };
      expect(repairs).toMatchObject([{ missing: 0 }]);
      // The rest: what the killed command had applied is not applied again.
      expect(repairs[0]!.applied['message.opened']).toBeLessThan(missed);
      expect(await openGaps()).toBe(0);
    } finally {
      flows = false;
      await flow;
    }
    await until('all is published', isPublished, 120_000);
    await until('all is applied', async () => (await opens()).live >= written, 120_000);
    expect(await opens()).toEqual({ live: written, repaired: missed });
  });
});
