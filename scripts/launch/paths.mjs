import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LaunchError } from './terminal.mjs';

/** The checkout. */
export const ROOT = path.resolve(fileURLToPath(import.meta.url), '../../..');

/** Where a machine keeps its commands: appended, since the caller's PATH may hold only node, npm and sh. */
const USUAL_BIN_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The search path for child processes. */
export function searchPath() {
  const given = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return [...new Set([...given, ...USUAL_BIN_FOLDERS])];
}

/**
 * The environment of child processes: ours, with the usual bin folders on PATH.
 * @param {Record<string, string | undefined>} [more]
 * @returns {NodeJS.ProcessEnv}
 */
export function childEnvironment(more = {}) {
  return { ...process.env, PATH: searchPath().join(path.delimiter), ...more };
}

/** The data directory of the installation (DATA_DIR, else .data in the checkout); absolute. */
export function dataDirectory() {
  return path.resolve(ROOT, process.env.DATA_DIR || '.data');
}

/**
 * Makes the data directory. Root's stays enterable, because PostgreSQL runs as another account there; every secret
 * inside has a mode of its own.
 * @param {string} dataDir
 */
export function makeDataDirectory(dataDir) {
  try {
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new LaunchError(
      `The data directory ${dataDir} cannot be written: ${messageOf(error)}. ` +
        'Make it writable for this user, or set DATA_DIR to a folder that is.',
    );
  }
}

/** Folders for what can be fetched again, best first. A home that does not exist is not made. */
export function cacheDirectories() {
  const home = process.env.HOME || homedir();
  const caches = process.env.XDG_CACHE_HOME || (existsSync(home) && path.join(home, '.cache'));
  return [...(caches ? [path.join(caches, 'tidings')] : []), path.join(dataDirectory(), 'cache')];
}

/** The first cache folder that can be written; made if it is missing. */
export function writableCacheDirectory() {
  for (const folder of cacheDirectories()) {
    try {
      mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.W_OK | constants.X_OK);
      return folder;
    } catch {
      // An empty or read-only home is no error: the data directory comes next.
    }
  }
  throw new LaunchError(`None of these folders can be written: ${cacheDirectories().join(', ')}. Set XDG_CACHE_HOME.`);
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
