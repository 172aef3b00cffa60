import { build } from './build.mjs';
import { freePort } from './daemon.mjs';
import { installDependencies } from './install.mjs';
import { dataDirectory, makeDataDirectory, ROOT } from './paths.mjs';
import { firstSignal } from './signals.mjs';
import { System } from './system.mjs';
import { claimPort, lockSystem } from './system-lock.mjs';
import { LaunchError, say } from './terminal.mjs';

const DEFAULT_PORT = 3000;

/**
 * Starts the whole system and keeps it running until a signal stops it.
 * @param {{ buildDir?: string | undefined }} options services that are compiled already
 */
export async function start({ buildDir }) {
  const dataDir = dataDirectory();
  makeDataDirectory(dataDir);
  const lock = lockSystem(dataDir);
  try {
    const port = await wantedPort();
    const claim = await claimPort(port, dataDir);
    if (!buildDir) await installDependencies(ROOT);
    const system = new System({ dataDir, port, claim, buildDir: buildDir ?? (await build(ROOT)) });
    const stopped = firstSignal(() => {
      say('Stopping at once.');
      // What is still being prepared can be left: servers are adopted by the next start.
      if (!system.hurry()) process.exit(130);
    });
    try {
      await Promise.race([system.start().then(() => stopped), stopped]);
      say('Stopping …');
    } finally {
      await system.stop();
    }
    say('Stopped.');
  } finally {
    lock.release();
  }
}

async function wantedPort() {
  const given = process.env.PORT || String(DEFAULT_PORT);
  const port = Number(given);
  if (!/^\d+$/.test(given) || port > 65535) {
    throw new LaunchError(`PORT is «${given}»; it takes a number up to 65535, or 0 for any free one.`);
  }
  return port || freePort();
}
