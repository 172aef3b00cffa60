import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { benchTable } from './bench-table.mjs';
import { build } from './build.mjs';
import { installDependencies } from './install.mjs';
import { childEnvironment, dataDirectory, ROOT } from './paths.mjs';
import { masterKey } from './secrets.mjs';
import { provideSharedServers, provideTestServers } from './shared-servers.mjs';
import { runningSystem } from './system-lock.mjs';
import { LaunchError, say } from './terminal.mjs';

/**
 * Runs a Node script to its end in the foreground; answers its exit status. Signals typed at the terminal reach it
 * directly; those sent to us are passed on.
 * @param {string[]} args script and its arguments
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<number>}
 */
export function runNode(args, environment) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: environment, stdio: 'inherit' });
  const pass = (/** @type {NodeJS.Signals} */ signal) =>
    void (signal === 'SIGINT' && process.stdin.isTTY ? 0 : child.kill(signal));
  process.on('SIGINT', pass).on('SIGTERM', pass).on('SIGHUP', pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      process.off('SIGINT', pass).off('SIGTERM', pass).off('SIGHUP', pass);
      resolve(status ?? 1);
    });
  });
}

/**
 * The operator's command. What touches files and servers of this machine is done here; the rest runs in the environment of
 * the running system. Beside a system that others run (containers), DATABASE_URL, NATS_URL and MASTER_KEY say where it is.
 * @param {string[]} args
 */
export async function runOperatorCommand(args) {
  const [word, ...rest] = args;
  if (word === 'backup') return (await import('./backup/backup.mjs')).backup(rest);
  if (word === 'restore') return (await import('./backup/restore.mjs')).restore(rest);
  const dataDir = dataDirectory();
  const system = runningSystem(dataDir);
  const { DATABASE_URL, NATS_URL, MASTER_KEY } = process.env;
  const buildDir = system?.buildDir ?? (await prepareBuild());
  // Help, and the answer to a mistyped command, need no running system; the command itself says when it needs one.
  const isKnown = system !== undefined || (DATABASE_URL && NATS_URL && MASTER_KEY);
  const key = await masterKey(dataDir, { given: MASTER_KEY, hasData: () => true }).catch((error) => {
    // The doctor says itself that the key is missing.
    if (!isKnown || word === 'doctor') return undefined;
    throw error;
  });
  const environment = childEnvironment({
    DATA_DIR: dataDir,
    ...system?.environment,
    MASTER_KEY: key,
    TIDINGS_BUILD_DIR: buildDir,
  });
  return runNode([path.join(buildDir, 'apps/cli/src/main.js'), ...args], environment);
}

/**
 * A compiled file with servers at hand that forget everything afterwards.
 * @param {string} file below the build
 * @param {string[]} args
 */
export async function runCompiled(file, args) {
  const buildDir = await prepareBuild();
  const script = path.join(buildDir, file);
  if (!existsSync(script)) throw new LaunchError(`The build has no ${file}.`);
  return withServers(await provideTestServers(), (environment) => runNode([script, ...args], environment), buildDir);
}

/** Sends a campaign to 1,000 people on a system of its own. @param {string[]} args */
export async function runDemo(args) {
  const buildDir = await prepareBuild();
  const servers = await provideSharedServers('demo', { forTests: false });
  return withServers(servers, (environment) => runNode([entryOf(buildDir, 'demo'), ...args], environment), buildDir);
}

/**
 * Runs benchmarks one after the other on durable servers; all of them when none is named.
 * @param {string[]} args names, and after them options for each; `--help` without a name lists them
 */
export async function runBenches(args) {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  const names = firstOption < 0 ? args : args.slice(0, firstOption);
  const options = args.slice(names.length);
  const known = benchNames();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new LaunchError(`No benchmark is called ${unknown.join(', ')}; there are: ${known.join(', ')}.`);
  }
  if (names.length === 0 && options.some((option) => ['--help', '-h'].includes(option))) return say(benchHelp(known));
  const running = names.length > 0 ? names : known;
  // Its browser is driven by a package of the tests.
  const buildDir = await prepareBuild({ tests: running.includes('dashboard') });
  const servers = await provideSharedServers('bench', { forTests: false });
  return withServers(servers, (environment) => benchAll(running, { options, buildDir, environment }), buildDir);
}

/** The folders of bench that can be run, by their sources: a wrong name is refused before anything is compiled. */
function benchNames() {
  const folder = path.join(ROOT, 'bench');
  return readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'main.ts')));
}

/** @param {string[]} known */
function benchHelp(known) {
  return [
    'npm run bench                           runs every benchmark, one after the other',
    'npm run bench -- NAME… [--OPTION=VALUE]  runs those, with options for each',
    '',
    'Benchmarks:',
    ...known.map((name) => `  ${name}`),
  ].join('\n');
}

/**
 * @param {string[]} names
 * @param {{ options: string[], buildDir: string, environment: NodeJS.ProcessEnv }} how
 */
async function benchAll(names, { options, buildDir, environment }) {
  const file = path.join(tmpdir(), `tidings-bench-${process.pid}.jsonl`);
  const variables = { ...environment, TIDINGS_BENCH_RESULTS: file };
  const benches = [];
  let worst = 0;
  try {
    for (const bench of names) {
      const started = Date.now();
      writeFileSync(file, '');
      const status = await runNode([entryOf(buildDir, `bench/${bench}`), ...options], variables);
      worst = Math.max(worst, status);
      const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
      const results = lines.map((line) => JSON.parse(line));
      if (lines.length > 0 || status !== 0) benches.push({ bench, results, seconds: (Date.now() - started) / 1000 });
    }
  } finally {
    rmSync(file, { force: true });
  }
  if (names.length > 1) say(`\n${benchTable(benches)}`);
  return worst;
}

/** @param {string} buildDir @param {string} folder */
function entryOf(buildDir, folder) {
  return path.join(buildDir, folder, 'main.js');
}

/**
 * The compiled project; packages are installed first.
 * @param {{ tests?: boolean }} [options] tests: also what only tests use
 */
export async function prepareBuild({ tests = false } = {}) {
  await installDependencies(ROOT, { tests });
  return build(ROOT);
}

/**
 * @param {import('./shared-servers.mjs').SharedServers} servers
 * @param {(environment: NodeJS.ProcessEnv) => Promise<number>} work
 * @param {string} buildDir
 */
export async function withServers(servers, work, buildDir) {
  const { databaseUrl, natsUrl, masterKey: key, stop } = servers;
  try {
    return await work(
      childEnvironment({ DATABASE_URL: databaseUrl, NATS_URL: natsUrl, MASTER_KEY: key, TIDINGS_BUILD_DIR: buildDir }),
    );
  } finally {
    await stop();
  }
}
