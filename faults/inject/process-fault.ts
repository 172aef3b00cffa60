import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SystemProcess, TestSystem } from '#testing';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import { fillDisk } from './full-disk.js';
import type { KillableServers } from '../rig/servers.js';
import { withDatabase } from '../rig/system-database.js';

/** In the order they start. */
export const services = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'] as const;
/** Processes that are killed, and `freeze`: delivery is stopped until its lease has long ended, and goes on as a zombie. */
export const strikeTargets = [...services, 'nats', 'postgres', 'freeze'] as const;
/** Further faults, which only a whole matrix injects; see docs/internals/faults.md. */
export const rareTargets = [
  'freeze-subscriber',
  'freeze-campaign',
  'connections',
  'nats-empty',
  'disk-full',
  'clock',
  'scale',
] as const;
export type StrikeTarget = (typeof strikeTargets)[number] | (typeof rareTargets)[number] | 'scale-all';

/** For a process whose clock the rig sets: see clock-shift.ts. */
export const withOwnClock = () => ({
  NODE_OPTIONS: `--import=${fileURLToPath(import.meta.resolve('./clock-shift.js'))}`,
});

/** How a process's clock steps: ten minutes ahead, ten behind, right again. */
const clockSteps = [600_000, -600_000];
/** How long a clock stays wrong, and a disk full. */
const wrongMs = 3_000;
/** More than twice the lease of these runs. */
const frozenMs = 9_000;
/** The services that go from one process to four and back in `scale-all`. */
const scaled = ['subscriber', 'campaign', 'workflow', 'delivery'] as const;
/** How many processes of a service join, and how long all work together. */
const joining = 3;
const togetherMs = 3_000;

/** Kills or freezes, and brings it back after `downMs`. */
export async function inject(
  target: StrikeTarget,
  at: { system: TestSystem; servers: KillableServers; downMs: number },
): Promise<void> {
  const { system, servers, downMs } = at;
  if (target === 'nats' || target === 'postgres' || target === 'nats-empty') {
    const server = servers[target === 'postgres' ? target : 'nats'];
    server.kill();
    if (target === 'nats-empty') servers.emptyNats();
    await pause(downMs);
    await server.restart();
    await startMissing(system);
  } else if (target === 'freeze') await freeze(system, 'delivery');
  else if (target === 'freeze-subscriber') await freeze(system, 'subscriber');
  else if (target === 'freeze-campaign') await freeze(system, 'campaign');
  else if (target === 'connections') await cutConnections(system);
  else if (target === 'disk-full') await fillDisk(system, wrongMs + downMs);
  else if (target === 'clock') await stepClock(system);
  else if (target === 'scale') await scale(system, ['delivery']);
  else if (target === 'scale-all') await scale(system, scaled);
  else await killAndStart(system, target, downMs);
}

/** A service that gave up while its server was away is started again, as a supervisor would. */
export async function startMissing(system: TestSystem): Promise<void> {
  for (const name of services) if (system.alive(name).length === 0) await start(system, name);
}

async function freeze(system: TestSystem, service: string): Promise<void> {
  const frozen = system.alive(service)[0]!;
  frozen.child.kill('SIGSTOP');
  await pause(frozenMs);
  frozen.child.kill('SIGCONT');
}

/** Services go from one process to four and back to one: the oldest three leave, the first of them by signal 9. */
async function scale(system: TestSystem, names: readonly string[]): Promise<void> {
  for (let n = 0; n < joining; n++) await Promise.all(names.map((name) => system.add(name)));
  await pause(togetherMs);
  const leaving = names.map((name) => system.alive(name).slice(0, joining));
  await Promise.all(leaving.map(([first]) => system.end(first!, 'SIGKILL')));
  await Promise.all(leaving.flatMap(([, ...others]) => others.map((one) => system.end(one))));
}

/** Ends every connection to the database, three times. */
const cutConnections = (system: TestSystem): Promise<void> =>
  withDatabase(system, async (client) => {
    for (let n = 0; n < 3; n++) {
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await pause(300);
    }
  });

/** Steps the clock of the delivery process, which was started for it. */
async function stepClock(system: TestSystem): Promise<void> {
  const { child } = system.alive('delivery')[0]!;
  for (const _ of [...clockSteps, 0]) {
    child.kill('SIGUSR2');
    await pause(wrongMs);
  }
}

/** Replaces the process of a service by one with other settings; the new one is there before the old one leaves. */
export async function replaceProcess(
  system: TestSystem,
  service: string,
  environment: Record<string, string> = {},
): Promise<void> {
  const old = system.alive(service)[0]!;
  await system.add(service, environment);
  await system.end(old);
}

/** Of a process whose clock `clock` steps. */
export const steppedClock = (): Record<string, string> => ({ ...withOwnClock(), CLOCK_STEPS_MS: clockSteps.join(',') });

/** Kills the oldest process of a service and starts another, even if other processes are down at the moment. */
export async function killAndStart(system: TestSystem, service: string, downMs: number): Promise<void> {
  await system.end(system.alive(service)[0]!, 'SIGKILL');
  await pause(downMs);
  await start(system, service);
}

const start = (system: TestSystem, name: string): Promise<SystemProcess> =>
  retryUntilAnswered(`start of ${name}`, () => system.add(name), 30_000);
