import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus } from '#bus';
import { until } from '#testing';
import type { TestSystem } from '#testing';
import { callSomewhere, liftRateLimit } from '../../faults/load/gateway-client.js';
import { startSystem } from './start-system.js';

const callers = 12;
/** Each rests so long after a call: processes must also be able to start meanwhile. */
const restMs = 40;
/** Served by four services, two of them writes. */
const calls = (n: number): [string, object][] => [
  ['list_tags', {}],
  ['get_email_senders', {}],
  ['add_subscriber', { email: `p${n}@people.internal`, tags: ['all'] }],
  ['create_campaign', { subject: `Letter ${n}` }],
  ['count_subscribers', {}],
  ['list_campaigns', {}],
];

describe('under load', () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startSystem({});
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace: system.databaseName, name: 'spec' });
    await liftRateLimit(bus, system.organizationId);
    await bus.close();
  }, 240_000);
  afterAll(() => system.stop());

  it.each(['domain', 'subscriber', 'campaign', 'delivery', 'workflow', 'gateway'])(
    'a %s is stopped and another takes its place without a failed call',
    async (name) => {
      const failed: unknown[] = [];
      let answered = 0;
      let ended = false;
      const work = async (_: unknown, n: number) => {
        for (let turn = 0; !ended; turn++) {
          const [tool, input] = calls(n)[(n + turn) % calls(n).length]!;
          const { status, body } = await callSomewhere(system, { tool, input }, n + turn);
          if (status === 200) answered += 1;
          else failed.push({ tool, status, body });
          // oxlint-disable-next-line tidings/fixed-waits -- the rate of the load
          await pause(restMs);
        }
      };
      const load = Promise.all(Array.from({ length: callers }, work));
      const more = async (count: number) => {
        const before = answered;
        await until('calls are answered', () => answered > before + count);
      };
      await more(100);
      await system.add(name);
      const leaving = system.alive(name)[0]!;
      await system.end(leaving);
      expect(leaving.child.exitCode).toBe(0);
      await more(100);
      ended = true;
      await load;
      expect(failed).toEqual([]);
    },
    240_000,
  );
});
