import { build } from './build.mjs';
import { freePort } from './daemon.mjs';
import { installDependencies } from './install.mjs';
import { dataDirectory, makeDataDirectory, ROOT } from './paths.mjs';
import { stopRequest } from './signals.mjs';
import { System } from './system.mjs';
import { claimPort, lockSystem } from './system-lock.mjs';
import { LaunchError, say, useLogFormat } from './terminal.mjs';

const DEFAULT_PORT = 3000;
/** npm and the compiler end within moments of their signal. */
const PREPARATION_ENDS_MS = 10_000;

/**
 * Starts the whole system and keeps it running until it is asked to stop.
 * @param {{ buildDir?: string | undefined, watch?: boolean }} options buildDir: services that are compiled already;
 *   watch: compile what changes, and replace the services that it concerns
 */
export async function start({ buildDir, watch = false }) {
  useLogFormat();
  /** @type {System | undefined} */
  let system;
  const { stopped, signal } = stopRequest(() => {
    say('Stopping at once.');
    // Unfinished preparation can be abandoned: the next start adopts its servers.
    if (!system?.hurry()) process.exit(130);
  });
  const dataDir = dataDirectory();
  makeDataDirectory(dataDir);
  const lock = lockSystem(dataDir);
  try {
    const prepared = prepare({ dataDir, buildDir, watch, signal });
    const parts = await Promise.race([prepared, stopped]);
    if (!parts) {
      say('Stopping …');
      await Promise.race([
        prepared.catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, PREPARATION_ENDS_MS)),
      ]);
    } else {
      system = new System({ dataDir, ...parts });
      await run(system, { stopped, ...parts });
    }
    say('Stopped.');
  } finally {
    lock.release();
  }
}

/**
 * @param {System} system
 * @param {{ stopped: Promise<void>, development: import('./development.mjs').Development | undefined }} parts
 */
async function run(system, { stopped, development }) {
  try {
    const up = system.start().then(() => development?.watch((names) => system.replace(names)));
    await Promise.race([up.then(() => stopped), stopped]);
    say('Stopping …');
  } finally {
    development?.stop();
    await system.stop();
  }
}

/**
 * Prepares the needs of a system: its port, its packages, its build.
 * @param {{ dataDir: string, buildDir: string | undefined, watch: boolean, signal: AbortSignal }} options
 */
async function prepare({ dataDir, buildDir, watch, signal }) {
  const port = await wantedPort();
  const claim = await claimPort(port, dataDir);
  if (buildDir) return { port, claim, buildDir, development: undefined };
  await installDependencies(ROOT, { signal });
  signal.throwIfAborted();
  if (!watch) return { port, claim, buildDir: await build(ROOT, { signal }), development: undefined };
  const development = await (await import('./development.mjs')).prepareDevelopment(ROOT, { signal });
  return { port, claim, buildDir: development.folder, development };
}

async function wantedPort() {
  const given = process.env.PORT || String(DEFAULT_PORT);
  const port = Number(given);
  if (!/^\d+$/.test(given) || port > 65535) {
    throw new LaunchError(`PORT is «${given}»; it takes a number up to 65535, or 0 for any free one.`);
  }
  return port || freePort();
}
