import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CreateMasterKeyCheck1700000000950,
  masterKeyFingerprint,
  prepareSchema,
  runtimeUrl,
  SharedTables1700000000000,
} from '#database';
import { restoreDatabase } from '#testing';
import { freePort } from './daemon.mjs';
import { ROOT } from './paths.mjs';
import { connectPostgres } from './postgres-check.mjs';
import { eventually, isRunning, readJson, recordOf } from './process-record.mjs';
import { keyFingerprint } from './secrets.mjs';
import type { Runtime } from './system-lock.mjs';

// First starts take their time on a busy machine.
jest.setTimeout(120_000);

const services = ['catcher', 'domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'];

/** A fake service for the launcher: reports that it is up, keeps its channel open, and records its messages. */
const service = `
  import { appendFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  const name = process.argv[1].split('/').at(-3);
  const { environment } = await new Promise((resolve) => process.once('message', resolve));
  const { PORT, HEALTH_PORT, DATA_DIR, CATCHER_SMTP_PORT, BREAK, DEAF, SMTP_URL } = { ...process.env, ...environment };
  if (BREAK === name) { console.error('broken on purpose'); process.exit(7); }
  const tell = (what) => appendFileSync(DATA_DIR + '/told', name + ' ' + what + '\\n');
  const end = (why) => { tell(why); process.exit(0); };
  process.on('SIGTERM', () => DEAF?.split(',').includes(name) || end('stops'));
  process.once('disconnect', () => end('lost its launcher'));
  if (name === 'gateway') {
    await new Promise((resolve) => createServer((_, response) => response.end(SMTP_URL)).listen(+PORT, resolve));
  } else setInterval(() => {}, 60_000);
  tell('is up');
  console.log(JSON.stringify({ level: 'info', service: name, msg: 'hello' }));
  console.log('no log entry');
  process.send({
    type: 'ready',
    ...(HEALTH_PORT && { healthPort: Number(HEALTH_PORT) }),
    ...(name === 'catcher' && { smtpUrl: 'smtp://127.0.0.1:' + CATCHER_SMTP_PORT, mailboxUrl: 'http://127.0.0.1:1' }),
    ...(name === 'domain' && { apiToken: 'tid_first', setupToken: 'link_first', organizationId: 'org_1' }),
  });`;

let folder: string;
let dataDir: string;
let port: number;
const launchers: ChildProcess[] = [];
const closed = new WeakMap<ChildProcess, Promise<unknown>>();

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidings spec-'));
  // As a checkout usually is: root's PostgreSQL runs as an account that must be able to come here.
  chmodSync(folder, 0o755);
  dataDir = path.join(folder, 'data');
  port = await freePort();
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  // What the launcher itself uses of a build.
  symlinkSync(path.join(process.env.TIDINGS_BUILD_DIR!, 'libs'), path.join(folder, 'libs'));
  for (const name of services) {
    mkdirSync(path.join(folder, 'apps', name, 'src'), { recursive: true });
    writeFileSync(path.join(folder, 'apps', name, 'src/main.js'), service);
  }
});

afterEach(async () => {
  for (const launcher of launchers.splice(0)) {
    launcher.kill('SIGTERM');
    await endOf(launcher);
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a launcher; without other words in the environment it uses the servers of this test run. */
const launch = (environment: Record<string, string> = {}) =>
  run(process.execPath, ['scripts/launch.mjs', 'start', `--build=${folder}`], environment);

/** The same by npm, as people do. */
const npmStart = (environment: Record<string, string> = {}) =>
  run('npm', ['start', '--silent', '--', `--build=${folder}`], environment);

function run(command: string, args: string[], environment: Record<string, string>) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      SMTP_URL: '',
      LOG_FORMAT: 'pretty',
      ...environment,
    },
  });
  launchers.push(child);
  closed.set(child, new Promise((resolve) => child.once('close', resolve)));
  const launcher = { child, said: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (launcher.said += chunk));
  return launcher;
}

/** Its status, once all that it said has been heard: that may come after its end. */
async function endOf(child: ChildProcess): Promise<number | null> {
  await closed.get(child);
  return child.exitCode;
}

async function ready(launcher: { said: string; child: ChildProcess }): Promise<void> {
  const line = `Tidings is ready at http://localhost:${port}\n`;
  await eventually(() => launcher.said.includes(line) || launcher.child.exitCode !== null, 90_000);
  expect(launcher.said).toContain(line);
}

/** Ids of living processes that were started with a word in their environment; Linux shows it. */
function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isRunning(recordOf(pid)))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(word);
      } catch {
        return false;
      }
    });
}

/** Ids of processes whose environment names this test's data directory, and its servers. */
const left = () => [
  ...processesWith(dataDir),
  ...['postgres', 'nats']
    .map((name) => readJson<{ pid: number }>(path.join(dataDir, `${name}.process.json`)))
    .filter(isRunning),
];

/** Linux shows it as the fourth field, behind the command in brackets. */
const parentOf = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]);

const runtime = () => readJson<Runtime>(path.join(dataDir, 'runtime.json'));
const pidOf = (name: string) => runtime()?.services[name]?.pid as number;
const journal = () => readFileSync(path.join(dataDir, 'told'), 'utf8').trim().split('\n');
const ownServers = { DATABASE_URL: '', NATS_URL: '', MASTER_KEY: '' };

describe('npm start', () => {
  it('starts the services in order, hands over the token, and stops the door first', async () => {
    const launcher = launch();
    await ready(launcher);
    const up = journal();
    expect(up.slice(0, 2)).toEqual(['catcher is up', 'domain is up']);
    expect(up.slice(2, 6).sort()).toEqual(['campaign is up', 'delivery is up', 'subscriber is up', 'workflow is up']);
    expect(up[6]).toBe('gateway is up');
    expect(launcher.said).toMatch(/\n {2}tid_first\n[^]*\n {2}curl .*Bearer \$TOKEN.*\n\n.*\n\nTidings is ready/);
    expect(launcher.said).toContain(`to make your account: http://localhost:${port}/setup#link_first\n`);
    expect(launcher.said.split('tid_first')).toHaveLength(2);

    expect(await (await fetch(`http://localhost:${port}`)).text()).toMatch(/^smtp:\/\/127\.0\.0\.1:\d+$/);
    expect(statSync(path.join(dataDir, 'runtime.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(dataDir, 'runtime.json'), 'utf8')).not.toMatch(/tid_first|link_first|MASTER_KEY/);
    expect(runtime()).toMatchObject({ pid: launcher.child.pid, url: `http://localhost:${port}` });

    launcher.child.kill('SIGTERM');
    expect(await endOf(launcher.child)).toBe(0);
    const down = journal().slice(7);
    expect(down[0]).toBe('gateway stops');
    expect(down.slice(-2)).toEqual(['domain stops', 'catcher stops']);
    expect(existsSync(path.join(dataDir, 'runtime.json'))).toBe(false);
  });

  it('prints no setup link where DASHBOARD is false', async () => {
    const launcher = launch({ DASHBOARD: 'false' });
    await ready(launcher);
    expect(launcher.said).not.toContain('/setup#');
  });

  it('refuses a second one on its data directory, and one on its port', async () => {
    await ready(launch());
    const second = launch({ PORT: '0' });
    expect(await endOf(second.child)).toBe(1);
    expect(second.said).toContain(`already runs on ${dataDir} (process ${runtime()?.pid}, http://localhost:${port})`);
    const elsewhere = path.join(folder, 'elsewhere');
    const third = launch({ DATA_DIR: elsewhere });
    expect(await endOf(third.child)).toBe(1);
    expect(third.said).toBe(`Port ${port} is taken by another program. End that one, or set PORT to another number.\n`);
  });

  it('refuses a port that is in use before anything is started', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const taken = (other.address() as AddressInfo).port;
    const launcher = launch({ PORT: String(taken), ...ownServers });
    expect(await endOf(launcher.child)).toBe(1);
    expect(launcher.said).toContain(`Port ${taken} is taken`);
    expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false);
    await new Promise((resolve) => other.close(resolve));
  });

  it('starts a service again when it was killed, at the same addresses', async () => {
    const launcher = launch();
    await ready(launcher);
    const [catcher, answer] = [pidOf('catcher'), await (await fetch(`http://localhost:${port}`)).text()];
    process.kill(catcher, 'SIGKILL');
    process.kill(pidOf('gateway'), 'SIGKILL');
    const isUpAgain = () =>
      pidOf('catcher') !== catcher && journal().filter((line) => line === 'gateway is up').length === 2;
    // Files tell of it before the launcher's words are heard.
    const said = 'catcher ended (SIGKILL); starting it again in 0.2 s.';
    expect(await eventually(() => isUpAgain() && launcher.said.includes(said), 60_000)).toBe(true);
    expect(await (await fetch(`http://localhost:${port}`)).text()).toBe(answer);
  });

  it('gives each service a health port of its own, from HEALTH_PORT on', async () => {
    await ready(launch({ HEALTH_PORT: '9100' }));
    const ports = Object.entries(runtime()!.services).map(([name, facts]) => [name, facts.healthPort]);
    expect(Object.fromEntries(ports)).toMatchObject({
      domain: 9100,
      subscriber: 9101,
      campaign: 9102,
      workflow: 9103,
      delivery: 9104,
      gateway: 9105,
    });
  });

  it('gives up on a service that never comes up, shows its last lines, and stops the others', async () => {
    const launcher = launch({ BREAK: 'delivery' });
    expect(await endOf(launcher.child)).toBe(1);
    expect(launcher.said).toMatch(
      /delivery ended 5 times while starting \(status 7\)\. Its last lines:\n.*broken on purpose/,
    );
    expect(journal().at(-2)).toBe('domain stops');
  });

  it('distinguishes a relay of the operator from the catcher', async () => {
    await ready(launch({ SMTP_URL: 'smtp://relay.internal:25' }));
    expect(await (await fetch(`http://localhost:${port}`)).text()).toBe('smtp://relay.internal:25');
    expect(journal()).not.toContain('catcher is up');
  });
});

describe('what a start writes', () => {
  it('is one line a step for people, with warnings only of what the services log meanwhile', async () => {
    const launcher = launch();
    await ready(launcher);
    const steps = launcher.said.match(/^✓ .* \(\d+\.\d s\)$/gm) ?? [];
    expect(steps.map((line) => line.replace(/ \(.*/, '')).sort()).toEqual([
      '✓ starting catcher',
      '✓ starting domain',
      '✓ starting gateway',
      '✓ starting subscriber, campaign, workflow, delivery',
    ]);
    expect(launcher.said).not.toContain('hello');
    expect(launcher.said).toContain('no log entry');
    expect(launcher.said).toContain(`mail is caught here, see http://localhost:${port}/mailbox`);
  });

  it('is JSON in each line where no terminal reads it, with the address and the token in fields', async () => {
    const { LOG_FORMAT: _none, ...inherited } = process.env;
    const child = spawn('npm', ['start', '--silent', '--', `--build=${folder}`], {
      cwd: ROOT,
      env: { ...inherited, DATA_DIR: dataDir, PORT: String(port), SMTP_URL: '' },
    });
    launchers.push(child);
    closed.set(child, new Promise((resolve) => child.once('close', resolve)));
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
    expect(await eventually(() => said.includes(`Tidings is ready at http://localhost:${port}`), 90_000)).toBe(true);
    child.kill('SIGTERM');
    expect(await endOf(child)).toBe(0);

    const entries = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const entry of entries) {
      expect(entry).toMatchObject({ level: expect.any(String), service: expect.any(String), msg: expect.any(String) });
    }
    const url = `http://localhost:${port}`;
    expect(entries).toContainEqual(expect.objectContaining({ msg: `Tidings is ready at ${url}`, url }));
    expect(entries.filter((entry) => JSON.stringify(entry).includes('tid_first'))).toEqual([
      expect.objectContaining({ service: 'launcher', token: 'tid_first' }),
    ]);
    expect(entries).toContainEqual(expect.objectContaining({ service: 'domain', level: 'info', msg: 'hello' }));
    expect(entries).toContainEqual(expect.objectContaining({ service: 'domain', level: 'warn', msg: 'no log entry' }));
    expect(entries.at(-1)).toMatchObject({ msg: 'Stopped.' });
  });

  it('takes no other format', async () => {
    const launcher = launch({ LOG_FORMAT: 'xml' });
    expect(await endOf(launcher.child)).toBe(1);
    expect(launcher.said).toBe('LOG_FORMAT is «xml»; it takes pretty or json.\n');
  });

  it('has the mail catcher at another port where 1025 is taken', async () => {
    const other = createServer();
    // Where the listening fails, another program has the port: that is all that is needed.
    await new Promise<void>((resolve) => other.once('error', () => resolve()).listen(1025, '127.0.0.1', resolve));
    await ready(launch());
    const relay = await (await fetch(`http://localhost:${port}`)).text();
    expect(relay).toMatch(/^smtp:\/\/127\.0\.0\.1:\d+$/);
    expect(relay).not.toContain(':1025');
    other.close();
  });
});

describe('npm start that is ended', () => {
  const npmAndLauncher = [
    ...(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const).map((signal) => ['npm', signal] as const),
    ...(['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map((signal) => ['the launcher', signal] as const),
  ];
  it.each(npmAndLauncher)(
    'by %s getting %s leaves nothing, and every service stopped gracefully',
    async (who, signal) => {
      const npm = npmStart();
      await ready(npm);
      const launcher = runtime()!.pid;
      // npm's shell has become the launcher: a signal to it is one to the launcher.
      expect(parentOf(launcher)).toBe(npm.child.pid);
      process.kill(who === 'npm' ? npm.child.pid! : launcher, signal);
      expect(await eventually(() => left().length === 0, 15_000)).toBe(true);
      expect(journal().filter((line) => line.endsWith(' stops'))).toHaveLength(services.length);
      expect(existsSync(path.join(dataDir, 'runtime.json'))).toBe(false);
      await endOf(npm.child);
    },
  );

  it('leaves no server of its own either, though services do not end when they are asked to', async () => {
    const npm = npmStart({ ...ownServers, DEAF: 'gateway,delivery,domain' });
    await ready(npm);
    expect(left().length).toBeGreaterThan(services.length);
    const askedAt = Date.now();
    process.kill(npm.child.pid!, 'SIGTERM');
    expect(await eventually(() => left().length === 0, 36_000)).toBe(true);
    expect(Date.now() - askedAt).toBeLessThan(36_000);
    expect(npm.said).toContain('gateway did not stop within 28 s and is killed.');
    await endOf(npm.child);
  });

  it('while it starts leaves nothing', async () => {
    const npm = npmStart(ownServers);
    await eventually(() => left().length > 4, 60_000);
    process.kill(npm.child.pid!, 'SIGTERM');
    expect(await eventually(() => left().length === 0, 30_000)).toBe(true);
    await endOf(npm.child);
    expect(npm.said).not.toContain('Tidings is ready');
  });
});

describe('a start with another master key', () => {
  const [right, wrong] = ['5f'.repeat(32), 'a0'.repeat(32)];

  it('is refused with a database of its own, says which key was expected, and leaves nothing running', async () => {
    const first = launch({ ...ownServers, MASTER_KEY: right });
    await ready(first);
    first.child.kill('SIGTERM');
    await endOf(first.child);

    const other = launch({ ...ownServers, MASTER_KEY: wrong });
    expect(await endOf(other.child)).toBe(1);
    expect(other.said).toContain(`Its fingerprint is ${keyFingerprint(wrong)}`);
    expect(other.said).toContain(`the key with the fingerprint ${keyFingerprint(right)}`);
    expect(left()).toEqual([]);
    expect(journal().filter((line) => line === 'domain is up')).toHaveLength(1);

    await ready(launch({ ...ownServers, MASTER_KEY: right }));
  });

  it('is refused with an external database before any service begins, and the roles keep their passwords', async () => {
    const database = await restoreDatabase('');
    const schema = {
      ownerUrl: database.url,
      schema: 'domain',
      rolePrefix: `start_${randomBytes(4).toString('hex')}`,
      masterKey: right,
      migrations: [SharedTables1700000000000, CreateMasterKeyCheck1700000000950],
    };
    try {
      await prepareSchema(schema);
      const environment = { DATABASE_URL: database.url, NATS_URL: '', DATABASE_ROLE_PREFIX: schema.rolePrefix };
      const other = launch({ ...environment, MASTER_KEY: wrong });
      expect(await endOf(other.child)).toBe(1);
      expect(other.said).toContain(`Its fingerprint is ${keyFingerprint(wrong)}`);
      expect(other.said).toContain(`the key with the fingerprint ${masterKeyFingerprint(right)}`);
      expect(left()).toEqual([]);
      expect(journal()).not.toContain('domain is up');
      await (await connectPostgres(runtimeUrl(schema))).end();

      const same = launch({ ...environment, MASTER_KEY: right });
      await ready(same);
      same.child.kill('SIGTERM');
      expect(await endOf(same.child)).toBe(0);
    } finally {
      await database.drop();
      const server = await connectPostgres(process.env.DATABASE_URL!);
      await server.query(`drop role ${schema.rolePrefix}_domain`);
      await server.end();
    }
  });
});

describe('npm start with servers of its own', () => {
  it('survives kill -9 of the launcher, of PostgreSQL and of NATS, and stops both at the end', async () => {
    const launcher = launch(ownServers);
    await ready(launcher);
    const gateway = recordOf(pidOf('gateway'));
    const url = runtime()?.environment.DATABASE_URL ?? '';
    launcher.child.kill('SIGKILL');
    await eventually(() => !isRunning(gateway) && journal().includes('delivery lost its launcher'), 30_000);

    const second = launch(ownServers);
    await ready(second);
    expect(runtime()?.environment.DATABASE_URL).toBe(url);
    const daemons = ['postgres', 'nats'].map((name) =>
      readJson<{ pid: number }>(path.join(dataDir, `${name}.process.json`)),
    );
    for (const daemon of daemons) process.kill(daemon?.pid ?? 0, 'SIGKILL');
    const isUp = () =>
      connectPostgres(url).then(
        (client) => client.end().then(() => true),
        () => false,
      );
    expect(await eventually(isUp, 30_000)).toBe(true);
    await eventually(
      () => readJson<{ pid: number }>(path.join(dataDir, 'nats.process.json'))?.pid !== daemons[1]?.pid,
      5_000,
    );

    second.child.kill('SIGINT');
    expect(await endOf(second.child)).toBe(0);
    expect(second.said).toMatch(/PostgreSQL ended; starting it again[^]*Stopped\.\n$/);
    for (const name of ['postgres', 'nats']) {
      expect(isRunning(readJson(path.join(dataDir, `${name}.process.json`)))).toBe(false);
    }

    rmSync(path.join(dataDir, 'master.key'));
    const keyless = launch(ownServers);
    expect(await endOf(keyless.child)).toBe(1);
    expect(keyless.said).toMatch(/master key is missing, and the database already holds data/);
    expect(existsSync(path.join(dataDir, 'master.key'))).toBe(false);
  });
});
