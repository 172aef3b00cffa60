import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { Bus } from '#bus';
import { SilentProxy, until } from '#testing';
import type { TestSystem } from '#testing';
import type { NatsOptions, NatsServers } from '../rig/nats-servers.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import type { KillableServers } from '../rig/servers.js';
import { withDatabase } from '../rig/system-database.js';
import { prepareRollover } from './month-rollover.js';
import { replaceProcess, startMissing, withOwnClock } from './process-fault.js';

/** Faults during which events must go on: of the bus and on the way to it, and others; see docs/internals/faults.md. */
export const busTargets = [
  'nats-leader',
  'nats-away',
  'nats-disk-full',
  'half-open',
  'domain-away',
  'month-rollover',
] as const;
export type BusTarget = (typeof busTargets)[number];

/** The servers that a target needs instead of the usual one. */
export const natsOf: Partial<Record<string, NatsOptions>> = {
  'nats-leader': { servers: 3 },
  // Twice what the streams of the rig reserve.
  'nats-disk-full': { servers: 1, diskMegabytes: 640 },
  'half-open': { servers: 1 },
};

/** How long NATS is away: a minute for every fifth seed. */
const awayMs = (seed: number): number => (seed % 5 === 0 ? 60_000 : 20_000);
const fullMs = 8_000;
const fillEveryMs = 20;
const leaderWithinMs = 60_000;
const hourMs = 3_600_000;
const hourPasses = `update delivery.kept_answer set confirmed_at = confirmed_at - interval '1 hour'`;

/** The system that a fault is for, with its servers. */
export interface StruckSystem {
  system: TestSystem;
  servers: KillableServers;
  natsServers: NatsServers | null;
  bus: Bus;
}

/** A fault in the middle of a campaign. */
export interface BusFault {
  /** Called when the first message of the campaign was accepted. */
  begin?(): Promise<void>;
  /** @returns milliseconds since the epoch, from when on the bus can work again, and what was wrong meanwhile */
  inject(): Promise<{ canWorkFrom: number; breaches?: string[] }>;
  /** Makes the system what it was before. */
  end?(): Promise<void>;
}

export interface BusFaultOptions {
  seed: number;
  /** How long a server is down, where the target does not say. */
  downMs: number;
}

/** Prepares the system for a fault. */
export async function prepareBusFault(
  target: BusTarget,
  rig: StruckSystem,
  options: BusFaultOptions,
): Promise<BusFault> {
  switch (target) {
    case 'nats-away':
      return { inject: () => stopNats(rig, awayMs(options.seed)) };
    case 'nats-leader':
      return { inject: () => changeLeader(rig, options) };
    case 'nats-disk-full':
      return { inject: () => fillNats(rig, fullMs + options.downMs) };
    case 'half-open':
      return await halfOpen(rig, options.seed);
    case 'domain-away':
      return domainAway(rig);
    case 'month-rollover':
      return await prepareRollover(rig.system);
  }
}

async function stopNats({ system, servers }: StruckSystem, forMs: number) {
  servers.nats.kill();
  await pause(forMs);
  await servers.nats.restart();
  const canWorkFrom = Date.now();
  await startMissing(system);
  return { canWorkFrom };
}

/** By the seed: the stream or all its consumers get another leader, or the server of a leader is killed. */
async function changeLeader(rig: StruckSystem, { seed, downMs }: BusFaultOptions) {
  const servers = rig.natsServers!;
  const stream = `${rig.bus.namespace}_events`;
  const manager = await jetstreamManager(rig.bus.connection);
  const stepDown = async (group: string) => {
    const reply = await rig.bus.connection.request(`$JS.API.${group}`, undefined, { timeout: 5_000 });
    if (!reply.json<{ success?: boolean }>().success) throw new Error(`${group}: ${reply.string()}`);
  };
  if (seed % 4 === 0) await stepDown(`STREAM.LEADER.STEPDOWN.${stream}`);
  else if (seed % 4 === 1) {
    const consumers = await manager.consumers.list(stream).next();
    await Promise.all(consumers.map(({ name }) => stepDown(`CONSUMER.LEADER.STEPDOWN.${stream}.${name}`)));
  } else {
    const of = seed % 4 === 2 ? await manager.streams.info(stream) : (await manager.consumers.list(stream).next())[0]!;
    const leader = of.cluster!.leader!;
    servers.kill(leader);
    const canWorkFrom = await awaitLeaders(rig, stream);
    await pause(downMs);
    await servers.restart(leader);
    return { canWorkFrom };
  }
  return { canWorkFrom: await awaitLeaders(rig, stream) };
}

/** Waits until the stream has a leader, and the cluster one that can add a consumer. @returns when */
async function awaitLeaders({ bus }: StruckSystem, stream: string): Promise<number> {
  const probe = 'rig_probe';
  const addConsumer = async () => {
    const manager: JetStreamManager = await jetstreamManager(bus.connection, { timeout: 1_000, checkAPI: false });
    // Only the leader of the stream answers.
    await manager.streams.info(stream);
    await manager.consumers.add(stream, { durable_name: probe, ack_policy: AckPolicy.Explicit });
    const at = Date.now();
    await manager.consumers.delete(stream, probe);
    return at;
  };
  return await retryUntilAnswered('leaders', addConsumer, leaderWithinMs);
}

/** Fills the volume of the store to the last byte, for a while: also what the server frees meanwhile. */
async function fillNats(rig: StruckSystem, forMs: number) {
  const file = join(rig.natsServers!.storeFolder, 'filler');
  const handle = openSync(file, 'w');
  let waiting = 0;
  for (const end = Date.now() + forMs; Date.now() < end;) {
    fill(handle);
    waiting = Math.max(waiting, await countWaiting(rig));
    await pause(fillEveryMs);
  }
  closeSync(handle);
  rmSync(file);
  const canWorkFrom = Date.now();
  return { canWorkFrom, breaches: waiting > 0 ? [] : ['no event waited in an outbox while the disk was full'] };
}

function fill(handle: number): void {
  for (let size = 1 << 20; size > 0;) {
    try {
      if (writeSync(handle, Buffer.alloc(size)) < size) size >>= 1;
    } catch {
      size >>= 1;
    }
  }
}

const countWaiting = ({ system }: StruckSystem): Promise<number> =>
  withDatabase(system, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      'select count(*)::int as n from delivery.outbox where published_at is null',
    );
    return rows[0]!.n;
  });

/** The seed decides which service loses the way to NATS; its new connections work. */
async function halfOpen({ system, natsServers }: StruckSystem, seed: number): Promise<BusFault> {
  const victim = (['delivery', 'subscriber', 'campaign', 'workflow'] as const)[seed % 4]!;
  const proxy = await SilentProxy.start(natsServers!.url);
  await replaceProcess(system, victim, { NATS_URL: proxy.url });
  return {
    inject: () => {
      proxy.swallow();
      return Promise.resolve({ canWorkFrom: Date.now() });
    },
    end: async () => {
      await replaceProcess(system, victim);
      await proxy.stop();
    },
  };
}

/**
 * The domain service is killed at the first message. In the middle an hour passes for what delivery keeps of it, and a
 * delivery process without memory, whose clock is an hour ahead, takes over.
 */
function domainAway({ system }: StruckSystem): BusFault {
  return {
    begin: () => system.end(system.alive('domain')[0]!, 'SIGKILL'),
    inject: async () => {
      await withDatabase(system, (client) => client.query(hourPasses));
      await replaceProcess(system, 'delivery', { ...withOwnClock(), CLOCK_SHIFT_MS: String(hourMs) });
      return { canWorkFrom: Date.now() };
    },
    end: async () => {
      await system.add('domain');
      await replaceProcess(system, 'delivery');
      await until('the domain service is there', () => system.alive('domain').length === 1);
    },
  };
}
