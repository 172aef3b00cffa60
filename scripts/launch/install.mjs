import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { withLock } from './file-lock.mjs';
import { childEnvironment, writableCacheDirectory } from './paths.mjs';
import { readJson } from './process-record.mjs';
import { LaunchError, progress } from './terminal.mjs';

/** @typedef {{ packages?: Record<string, { version?: string, optional?: boolean, link?: boolean, dev?: boolean }> }} Lockfile */

/**
 * Installs the dependencies of the lockfile, unless they are there already: what runs and builds the system, and with `tests`
 * also what only tests and checks use. Those are added to what is there, since a system may run from it.
 * @param {string} root the checkout
 * @param {{ tests?: boolean, signal?: AbortSignal | undefined }} [options] signal: ends npm
 */
export async function installDependencies(root, { tests = false, signal } = {}) {
  const hash = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const record = path.join(root, 'node_modules/.tidings-install');
  const withoutTests = `${hash} without tests`;
  const recorded = () => (existsSync(record) ? readFileSync(record, 'utf8') : '');
  const isInstalled = () => recorded() === hash || (!tests && recorded() === withoutTests);
  if (isInstalled()) return;

  const lockFolder = path.join(root, '.build');
  mkdirSync(lockFolder, { recursive: true });
  await withLock(
    path.join(lockFolder, 'install.lock'),
    { purpose: 'installing packages', patienceMs: 600_000 },
    async () => {
      if (isInstalled()) return;
      const kinds = [tests ? '--include=dev' : '--omit=dev', '--include=optional'];
      if (recorded() === withoutTests) {
        await progress('installing the packages of the tests', () => runNpm(['install', '--no-save', ...kinds]));
      } else if (!isInstalledByHand(root, tests)) {
        await progress('installing packages (npm ci)', () => runNpm(['ci', ...kinds]));
      }
      writeFileSync(record, tests || isInstalledByHand(root, true) ? hash : withoutTests);
    },
  );

  /** @param {string[]} args */
  async function runNpm(args) {
    const { status, output } = await npm(root, args, signal);
    if (status !== 0) throw new LaunchError(`\`npm ${args[0]}\` failed:\n${output}`);
  }
}

/**
 * True when npm's own record of node_modules has every package of the lockfile in its version; packages for other
 * platforms are optional.
 * @param {string} root
 * @param {boolean} tests whether packages that only tests use count
 */
function isInstalledByHand(root, tests) {
  /** @type {Lockfile | undefined} */
  const installed = readJson(path.join(root, 'node_modules/.package-lock.json'));
  /** @type {Lockfile | undefined} */
  const wanted = readJson(path.join(root, 'package-lock.json'));
  if (!installed?.packages || !wanted?.packages) return false;
  const has = installed.packages;
  return Object.entries(wanted.packages).every(
    ([place, { version, optional, dev }]) =>
      place === '' || (dev && !tests) || (has[place] ? has[place].version === version : optional),
  );
}

/**
 * Runs npm to its end.
 * @param {string} root
 * @param {string[]} args
 * @param {AbortSignal | undefined} signal
 */
async function npm(root, args, signal) {
  // Inside `npm start` npm says which npm it is; the PATH may hold another one, or a shell wrapper.
  const cli = process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : undefined;
  const [command, before] = cli ? [process.execPath, [cli]] : ['npm', []];
  const child = spawn(command, [...before, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
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
  return { status, output: output.trim() };
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
