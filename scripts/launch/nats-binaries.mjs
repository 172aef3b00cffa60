import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fetchNatsPackage } from './nats-apt.mjs';
import { fetchNatsArchive } from './nats-archive.mjs';
import { isNewEnough, NATS_VERSION_MIN, versionOfBinary } from './nats-probe.mjs';
import { cacheDirectories, messageOf, searchPath, writableCacheDirectory } from './paths.mjs';
import { LaunchError, progress } from './terminal.mjs';

/** @typedef {{ source: NatsSource, file: string, version: string }} NatsBinary */
/** @typedef {'path' | 'cache' | 'archive' | 'apt'} NatsSource */

/** @typedef {Record<string, string>} ArchiveSums */

/**
 * @type {Record<NatsSource, (sums?: ArchiveSums) => Promise<string[]> | string[]>} where binaries may be, best first; an error names the reason why none is
 */
const SOURCES = {
  path: () => searchPath().map((folder) => path.join(folder, 'nats-server')),
  cache: () => cacheDirectories().flatMap(cachedIn),
  archive: async (sums) => [
    await progress('fetching the nats-server release', () => fetchNatsArchive(writableCacheDirectory(), sums)),
  ],
  apt: async () => [
    await progress('fetching nats-server from the package manager', () => fetchNatsPackage(writableCacheDirectory())),
  ],
};

/**
 * A nats-server that is new enough, from the first source that has one.
 * @param {string} [forced] one source, and no other
 * @param {ArchiveSums} [sums] for an archive other than the project's own
 * @returns {Promise<NatsBinary>}
 */
export async function findNatsServer(forced, sums) {
  const names = /** @type {NatsSource[]} */ (Object.keys(SOURCES));
  /** @type {string[]} */
  const tried = [];
  for (const source of names.filter((name) => !forced || name === forced)) {
    try {
      const files = (await SOURCES[source](sums)).filter((file) => existsSync(file));
      if (files.length === 0) tried.push(`${source}: none`);
      for (const file of files) {
        const version = versionOfBinary(file);
        if (version && isNewEnough(version)) return { source, file, version };
        tried.push(`${source}: ${file} ${version ? `is ${version}` : 'does not run here'}`);
      }
    } catch (error) {
      tried.push(`${source}: ${messageOf(error)}`);
    }
  }
  throw new LaunchError(
    [
      `No nats-server of version ${NATS_VERSION_MIN} or newer was found.`,
      ...tried.map((line) => `  ${line}`),
      fix(),
    ].join('\n'),
  );
}

/** Newest first. @param {string} folder */
function cachedIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^nats-server-\d+\.\d+\.\d+$/.test(name))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => path.join(folder, name));
}

function fix() {
  return process.platform === 'darwin'
    ? 'Install it with `brew install nats-server`, or set NATS_URL to a running server.'
    : 'Put the binary of a release (https://github.com/nats-io/nats-server/releases) on PATH, or set NATS_URL to a running server.';
}
