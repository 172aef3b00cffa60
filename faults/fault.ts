import { setTimeout as pause } from 'node:timers/promises';
import type { SystemProcess, TestSystem } from '#testing';
import { insist } from './insist.js';
import type { KillableServers } from './killable-servers.js';

/** In the order they start. */
export const services = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'] as const;
/** Processes that are killed, and `freeze`: delivery is stopped until its lease has long ended, and goes on as a zombie. */
export const strikeTargets = [...services, 'nats', 'postgres', 'freeze'] as const;
export type StrikeTarget = (typeof strikeTargets)[number];

/** More than twice the lease of these runs. */
const frozenMs = 9_000;

/** Kills or freezes, and brings it back after `downMs`. */
export async function strike(
  target: StrikeTarget,
  at: { system: TestSystem; servers: KillableServers; downMs: number },
): Promise<void> {
  const { system, servers, downMs } = at;
  if (target === 'nats' || target === 'postgres') {
    servers[target].kill();
    await pause(downMs);
    await servers[target].restart();
    // A service that gave up while its server was away is started again, as a supervisor would.
    for (const name of services) if (system.alive(name).length === 0) await start(system, name);
  } else if (target === 'freeze') {
    const frozen = system.alive('delivery')[0]!;
    frozen.child.kill('SIGSTOP');
    await pause(frozenMs);
    frozen.child.kill('SIGCONT');
  } else {
    await killAndStart(system, target, downMs);
  }
}

/** Kills the oldest process of a service and starts another, whatever else is down at the moment. */
export async function killAndStart(system: TestSystem, service: string, downMs: number): Promise<void> {
  await system.end(system.alive(service)[0]!, 'SIGKILL');
  await pause(downMs);
  await start(system, service);
}

const start = (system: TestSystem, name: string): Promise<SystemProcess> =>
  insist(`start of ${name}`, () => system.add(name), 30_000);
