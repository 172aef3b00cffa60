#!/usr/bin/env node
/**
 * Proves the two commands on machines that have nothing but node, npm and sh: the committed tree in a path with a space,
 * an empty HOME, no cache; as root and as an ordinary user. `--tests` also runs `npm test`, `--only=root` or
 * `--only=user` one row. Root proves both rows; an ordinary user its own.
 */
import { execFileSync, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './launch/daemon.mjs';
import { ROOT } from './launch/paths.mjs';
import { endProcess, eventually, isRunning, readJson } from './launch/process-record.mjs';
import { LaunchError, say } from './launch/terminal.mjs';

const USER = 'tidings-fresh';
/** Far from the numbers that people and containers have: an account in use cannot be removed. */
const USER_ID = '58742';
const START_MS_MAX = 600_000;
/** Of this machine's settings only the way to the network is kept: proxies and certificates. */
const NETWORK_SETTINGS = /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(registry|cafile))$/i;

/** @typedef {{ name: string, uid: number, gid: number }} Person */
/** @typedef {{ person: Person, base: string, checkout: string, environment: NodeJS.ProcessEnv }} Machine */
/** @typedef {Record<string, string>} Row */

/** @param {Person} person @returns {Machine} */
function makeMachine(person) {
  const base = mkdtempSync(path.join(tmpdir(), 'tidings-fresh-'));
  // Root's checkout lies where PostgreSQL's account may not come, as one below /root does: the harder case.
  const checkout = path.join(base, 'my check out');
  const bin = path.join(base, 'bin');
  for (const folder of [checkout, bin, path.join(base, 'home')]) mkdirSync(folder);
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  for (const [name, target] of [
    ['node', process.execPath],
    ['npm', realpathSync(npm)],
    ['sh', '/bin/sh'],
  ]) {
    symlinkSync(String(target), path.join(bin, String(name)));
  }
  execFileSync('sh', ['-c', 'git archive HEAD | tar -x -C "$1"', 'sh', checkout], { cwd: ROOT });
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${person.uid}:${person.gid}`, base]);
  const network = Object.entries(process.env).filter(([name]) => NETWORK_SETTINGS.test(name));
  return {
    person,
    base,
    checkout,
    environment: { ...Object.fromEntries(network), PATH: bin, HOME: path.join(base, 'home') },
  };
}

/**
 * Runs npm on the machine; `said` grows with what it prints.
 * @param {Machine} machine
 * @param {string[]} args
 * @param {Record<string, string>} [more]
 */
function runNpm({ person, base, checkout, environment }, args, more = {}) {
  const child = spawn(path.join(base, 'bin/npm'), args, {
    ...(process.getuid?.() === 0 && { uid: person.uid, gid: person.gid }),
    cwd: checkout,
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run = { said: '', ended: new Promise((resolve) => child.once('close', resolve)), isOver: false };
  child.once('close', () => (run.isOver = true));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (run.said += chunk));
  return run;
}

/**
 * `npm start` up to its last line.
 * @param {Machine} machine
 * @param {number} port
 */
async function start(machine, port) {
  const startedAt = Date.now();
  const npm = runNpm(machine, ['start'], { PORT: String(port) });
  const line = `Tidings is ready at http://localhost:${port}`;
  await eventually(() => npm.said.includes(line) || npm.isOver, START_MS_MAX);
  if (!npm.said.includes(line)) throw new LaunchError(`npm start did not come to its last line:\n${npm.said}`);
  return { npm, seconds: secondsSince(startedAt) };
}

/** @param {Machine} machine @returns {import('./launch/system-lock.mjs').Runtime} */
function runtimeOf({ checkout }) {
  const runtime = readJson(path.join(checkout, '.data/runtime.json'));
  if (!runtime) throw new LaunchError('The launcher left no runtime.json.');
  return /** @type {import('./launch/system-lock.mjs').Runtime} */ (runtime);
}

/** @param {Machine} machine @param {NodeJS.Signals} signal @param {{ ended: Promise<unknown> }} npm */
async function endLauncher(machine, signal, npm) {
  const startedAt = Date.now();
  process.kill(runtimeOf(machine).pid, signal);
  await npm.ended;
  return secondsSince(startedAt);
}

/**
 * The life of a first evening: start, a call, stop, start again, a crash, start again.
 * @param {Machine} machine
 * @param {Row} row
 */
async function proveStart(machine, row) {
  const port = await freePort();
  const first = await start(machine, port);
  row['first start'] = first.seconds;
  const token = /"token":"([^"]+)"/.exec(first.npm.said)?.[1];
  row.healthz = String((await fetch(`http://localhost:${port}/healthz`)).status);
  const call = await fetch(`http://localhost:${port}/api/v2/tools/list_tags`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  row.list_tags = `${call.status} ${/** @type {any} */ (await call.json()).success}`;
  row.stop = await endLauncher(machine, 'SIGTERM', first.npm);

  const second = await start(machine, port);
  row['second start'] = second.seconds;
  await endLauncher(machine, 'SIGKILL', second.npm);

  const third = await start(machine, port);
  row['after kill -9'] = third.seconds;
  row['stop again'] = await endLauncher(machine, 'SIGTERM', third.npm);
}

/** @param {Machine} machine @param {Row} row */
async function proveTests(machine, row) {
  const startedAt = Date.now();
  const npm = runNpm(machine, ['test']);
  const status = await npm.ended;
  row['npm test'] = `${npm.said.trim().split('\n').at(-1)}, status ${status}, ${secondsSince(startedAt)}`;
  if (status !== 0) say(npm.said);
}

/** Ends what a failed proof left, and takes the machine away. @param {Machine} machine */
async function removeMachine({ base, checkout }) {
  const dataDir = path.join(checkout, '.data');
  const records = ['runtime', 'postgres.process', 'nats.process', 'test/postgres.process', 'test/nats.process'];
  for (const name of records) {
    /** @type {import('./launch/process-record.mjs').ProcessRecord | undefined} */
    const record = readJson(path.join(dataDir, `${name}.json`));
    if (record && isRunning(record)) await endProcess(record, { patienceMs: 30_000 });
  }
  for (const place of ['postgres', 'test/postgres'].map((name) => path.join(dataDir, name))) {
    const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink();
    if (isLink) rmSync(path.dirname(readlinkSync(place)), { recursive: true, force: true });
  }
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}

/** @param {Person} person @param {{ withTests: boolean }} options @returns {Promise<Row>} */
async function prove(person, { withTests }) {
  /** @type {Row} */
  const row = { as: person.name };
  const machine = makeMachine(person);
  say(`${person.name}: ${machine.checkout}`);
  try {
    await proveStart(machine, row);
    if (withTests) await proveTests(machine, row);
    row.outcome = !withTests || row['npm test']?.includes('status 0') ? 'proved' : 'FAILED';
  } catch (error) {
    row.outcome = 'FAILED';
    say(String(error instanceof LaunchError ? error.message : error));
  } finally {
    await removeMachine(machine);
  }
  return row;
}

/** @param {number} startedAt */
function secondsSince(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** An account for the ordinary user, gone afterwards. @param {(person: Person) => Promise<void>} work */
async function withOrdinaryUser(work) {
  execFileSync('useradd', ['--uid', USER_ID, '--no-create-home', '--user-group', '--shell', '/bin/sh', USER]);
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' })));
    await work({ name: 'ordinary user', uid: Number(uid), gid: Number(gid) });
  } finally {
    execFileSync('userdel', [USER], { stdio: 'ignore' });
  }
}

const withTests = process.argv.includes('--tests');
const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
process.umask(0o022);
/** @type {Row[]} */
const rows = [];
if (process.getuid?.() === 0) {
  if (only !== 'user') rows.push(await prove({ name: 'root', uid: 0, gid: 0 }, { withTests }));
  if (only !== 'root') await withOrdinaryUser(async (person) => void rows.push(await prove(person, { withTests })));
} else {
  const person = { name: 'ordinary user', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  rows.push(await prove(person, { withTests }));
}
say();
for (const [name] of Object.entries(rows.reduce((all, row) => ({ ...all, ...row }), {}))) {
  say(`${name.padEnd(16)}${rows.map((row) => (row[name] ?? '-').padEnd(44)).join('')}`.trimEnd());
}
process.exit(rows.every(({ outcome }) => outcome === 'proved') ? 0 : 1);
