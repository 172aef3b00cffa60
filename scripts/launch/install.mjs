import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { withLock } from './file-lock.mjs';
import { childEnvironment, writableCacheDirectory } from './paths.mjs';
import { readJson } from './process-record.mjs';
import { LaunchError, progress } from './terminal.mjs';

/** @typedef {{ packages?: Record<string, { version?: string, optional?: boolean, link?: boolean }> }} Lockfile */

/**
 * Installs the dependencies of the lockfile, unless exactly they are there already.
 * @param {string} root the checkout
 * @param {{ signal?: AbortSignal | undefined }} [options] signal: ends npm
 */
export async function installDependencies(root, { signal } = {}) {
  const lockfile = path.join(root, 'package-lock.json');
  const hash = createHash('sha256').update(readFileSync(lockfile)).digest('hex');
  const record = path.join(root, 'node_modules/.tidings-install');
  const isInstalled = () => existsSync(record) && readFileSync(record, 'utf8') === hash;
  if (isInstalled()) return;

  const lockFolder = path.join(root, '.build');
  mkdirSync(lockFolder, { recursive: true });
  await withLock(
    path.join(lockFolder, 'install.lock'),
    { purpose: 'installing packages', patienceMs: 600_000 },
    async () => {
      if (isInstalled()) return;
      if (!isInstalledByHand(root)) await progress('installing packages (npm ci)', () => runNpmCi(root, signal));
      writeFileSync(record, hash);
    },
  );
}

/**
 * True when npm's own record of node_modules has every package of the lockfile in its version; packages for other
 * platforms are optional.
 * @param {string} root
 */
function isInstalledByHand(root) {
  /** @type {Lockfile | undefined} */
  const installed = readJson(path.join(root, 'node_modules/.package-lock.json'));
  /** @type {Lockfile | undefined} */
  const wanted = readJson(path.join(root, 'package-lock.json'));
  if (!installed?.packages || !wanted?.packages) return false;
  const has = installed.packages;
  return Object.entries(wanted.packages).every(
    ([place, { version, optional }]) => place === '' || (has[place] ? has[place].version === version : optional),
  );
}

/** @param {string} root @param {AbortSignal | undefined} signal */
async function runNpmCi(root, signal) {
  // Inside `npm start` npm says which npm it is; the PATH may hold another one, or a shell wrapper.
  const cli = process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : undefined;
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, before] = cli ? [process.execPath, [cli]] : ['npm', []];
  const child = spawn(command, [...before, ...args], {
    cwd: root,
    env: childEnvironment(isHomeWritable() ? {} : { npm_config_cache: path.join(writableCacheDirectory(), 'npm') }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what npm started ends with it.
    detached: true,
  });
  // Only while it runs: its number may be another program's afterwards.
  const end = () => child.exitCode === null && child.pid && process.kill(-child.pid, 'SIGTERM');
  signal?.addEventListener('abort', end);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  signal?.removeEventListener('abort', end);
  if (status !== 0) throw new LaunchError(`\`npm ci\` failed:\n${output.trim()}`);
}

/** npm keeps what it fetched below HOME, and fails where it cannot. */
function isHomeWritable() {
  try {
    accessSync(process.env.HOME || homedir(), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
