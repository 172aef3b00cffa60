import type { SystemProcess, TestSystem } from '#testing';
import type { KillableServers } from './killable-servers.js';

/** What a run does to the system while a campaign is on its way. */
export const targets = [
  'delivery',
  'campaign',
  'subscriber',
  'domain',
  'workflow',
  'gateway',
  'nats',
  'postgres',
  'freeze',
] as const;
export type Target = (typeof targets)[number];

/** Longer than a page's lease in these runs, so that a frozen worker wakes as a zombie. */
const frozenMs = 9_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Kills or freezes, and brings it back after `downMs`. */
export async function strike(
  target: Target,
  at: { system: TestSystem; servers: KillableServers; downMs: number },
): Promise<void> {
  const { system, servers, downMs } = at;
  if (target === 'nats' || target === 'postgres') {
    servers[target].kill();
    await pause(downMs);
    await servers[target].restart();
    // A service that gave up while its server was away is started again, as a supervisor would.
    return await revive(system);
  }
  if (target === 'freeze') {
    const frozen = system.alive('delivery')[0]!;
    frozen.child.kill('SIGSTOP');
    await pause(frozenMs);
    frozen.child.kill('SIGCONT');
    return;
  }
  await system.end(system.alive(target)[0]!, 'SIGKILL');
  await pause(downMs);
  await system.add(target);
}

async function revive(system: TestSystem): Promise<void> {
  const names = new Set(system.processes.map(({ name }) => name));
  for (const name of names) if (system.alive(name).length === 0) await retry(() => system.add(name));
}

async function retry(start: () => Promise<SystemProcess>): Promise<void> {
  for (let left = 20; ; left--) {
    try {
      await start();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await pause(250);
    }
  }
}
