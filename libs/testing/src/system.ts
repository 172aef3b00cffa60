import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { jetstreamManager } from '@nats-io/jetstream';
import pg from 'pg';
import { connectBus } from '#bus';
import { testRolePrefix } from './template-database.js';
import { until } from './until.js';

export interface SystemProcess {
  name: string;
  child: ChildProcess;
  facts: Record<string, unknown>;
  /** Its last lines, for the reader of a failure. */
  lines: string[];
  /** When it was asked to end, in milliseconds since the epoch. */
  leavesSince?: number;
}

export interface SystemOptions {
  buildDir: string;
  /** Owner's URL of the server. */
  databaseUrl: string;
  /** The owner's URL of the database of the system, migrated or empty; by default an empty one is created. */
  ownDatabaseUrl?: string;
  natsUrl: string;
  masterKey: string;
  /** Added to every process's environment: SMTP_URL, LOG_LEVEL … */
  environment: Record<string, string>;
  /** Processes to start, in order; `domain` must be the first. */
  processes: readonly string[];
  /** All in one process, which needs half of the time; none of them can then end alone. */
  inOneProcess?: boolean;
}

/** What new sends need to be on the ledger, and how long all replicas may take to know it. */
const ledgerFeatures = ['messages.settled', 'send.ledger'];
const ledgerWithinMs = 60_000;

/** The real system as processes, on a database and a namespace of its own. */
export class TestSystem {
  readonly processes: SystemProcess[] = [];
  readonly #cells: { server: string; cell: string }[] = [];

  private constructor(
    private readonly options: SystemOptions,
    readonly databaseName: string,
    readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Starts the first process, and all others together when it is ready. */
  static async start(options: SystemOptions): Promise<TestSystem> {
    const databaseUrl =
      options.ownDatabaseUrl ?? (await createDatabase(options.databaseUrl, `run_${randomBytes(5).toString('hex')}`));
    const databaseName = new URL(databaseUrl).pathname.slice(1);
    const system = new TestSystem(options, databaseName, {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      DATABASE_ROLE_PREFIX: testRolePrefix,
      NATS_URL: options.natsUrl,
      NATS_NAMESPACE: databaseName,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'tidings-data-')),
      MASTER_KEY: options.masterKey,
      EVENTS_MAX_MB: '256',
      HITS_MAX_MB: '64',
      LOG_LEVEL: 'warn',
      PORT: '0',
      PUBLIC_URL: 'http://localhost:3000',
      // As the launcher starts them, and containers with 768 MB.
      NODE_OPTIONS: '--max-old-space-size=384 --v8-pool-size=1',
      ...options.environment,
    });
    try {
      const [first, ...others] = options.processes;
      if (options.inOneProcess) {
        system.processes.push(...(await system.#fork(['libs/testing/src/one-process.js'], options.processes)));
      } else {
        if (first) await system.add(first);
        await system.#addAll(others);
      }
    } catch (error) {
      await system.stop();
      throw error;
    }
    return system;
  }

  async add(name: string, environment: Record<string, string> = {}): Promise<SystemProcess> {
    const one = await this.#launch(name, environment);
    this.processes.push(one);
    return one;
  }

  async #launch(name: string, environment: Record<string, string> = {}): Promise<SystemProcess> {
    const [one] = await this.#fork(['apps', name, 'src/main.js'], [name], environment);
    return one!;
  }

  /** Starts a module of the build, which reports the facts of each service that it runs. */
  async #fork(
    main: readonly string[],
    names: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<SystemProcess[]> {
    const child = fork(join(this.options.buildDir, ...main), names, {
      env: { ...this.environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const lines: string[] = [];
    for (const input of [child.stdout!, child.stderr!]) {
      createInterface({ input }).on('line', (line) => {
        if (line) lines.push(line);
        lines.splice(0, lines.length - 200);
      });
    }
    const facts = new Map<string, Record<string, unknown>>();
    await new Promise<void>((resolve, reject) => {
      child.on('message', ({ name = names[0]!, ...reported }: { name?: string }) => {
        if (facts.set(name, reported).size === names.length) resolve();
      });
      child.once('exit', (code) =>
        reject(new Error(`${names.join(', ')} ended with ${code} before it was ready:\n${lines.join('\n')}`)),
      );
    });
    return names.map((name) => ({ name, child, facts: facts.get(name)!, lines }));
  }

  /** @throws Error of one that did not become ready, once all have or have not */
  async #addAll(names: readonly string[], environment: Record<string, string> = {}): Promise<void> {
    const started = await Promise.allSettled(names.map((name) => this.#launch(name, environment)));
    this.processes.push(...started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    for (const one of started) if (one.status === 'rejected') throw one.reason;
  }

  /**
   * Starts another cell, on a database of its own, which may be on another server.
   * @param cell its namespace, which CELLS of this system must name
   * @param services of each as many processes as it is named times
   * @returns the owner's URL of its database
   */
  async addCell(cell: string, services: readonly string[], server = this.options.databaseUrl): Promise<string> {
    const databaseUrl = await createDatabase(server, cell);
    this.#cells.push({ server, cell });
    const environment = {
      DATABASE_URL: databaseUrl,
      NATS_NAMESPACE: cell,
      HOME_CELL: this.databaseName,
    };
    await this.#addAll(services, environment);
    return databaseUrl;
  }

  /**
   * Waits until new campaigns are on the ledger, which they are once all replicas know its formats.
   * @param databaseUrl the owner's URL of the database of a cell; by default that of the first one
   */
  async awaitLedger(databaseUrl = this.environment.DATABASE_URL): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const isEnabled = async () => {
        const { rowCount } = await client.query(
          `select from delivery.feature where name = any($1) and enabled_at is not null`,
          [ledgerFeatures],
        );
        return rowCount === ledgerFeatures.length;
      };
      await until('campaigns are on the ledger', isEnabled, ledgerWithinMs);
    } finally {
      await client.end();
    }
  }

  alive(name: string): SystemProcess[] {
    return this.processes.filter(
      (one) => one.name === name && one.child.exitCode === null && one.child.signalCode === null,
    );
  }

  url(n = 0): string {
    return this.alive('gateway')[n]!.facts.url as string;
  }

  get apiToken(): string {
    return this.processes.find(({ name }) => name === 'domain')!.facts.apiToken as string;
  }

  get organizationId(): string {
    return this.processes.find(({ name }) => name === 'domain')!.facts.organizationId as string;
  }

  async end(one: SystemProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (one.child.exitCode !== null || one.child.signalCode !== null) return;
    const gone = new Promise((resolve) => one.child.once('exit', resolve));
    one.leavesSince = Date.now();
    one.child.kill(signal);
    await gone;
  }

  /** Ends everything, the gateways first, and drops the databases. */
  async stop(): Promise<void> {
    const gateways = this.processes.filter(({ name }) => name === 'gateway');
    const domains = this.processes.filter(({ name }) => name === 'domain');
    const between = this.processes.filter((one) => !gateways.includes(one) && !domains.includes(one));
    for (const together of [gateways, between, domains]) await Promise.all(together.map((one) => this.end(one)));
    for (const { server, cell } of [...this.#cells, { server: this.options.databaseUrl, cell: this.databaseName }]) {
      await onServer(server, `drop database if exists ${cell} with (force)`);
      await deleteStreams(this.options.natsUrl, cell);
    }
    rmSync(this.environment.DATA_DIR!, { recursive: true, force: true });
  }
}

async function createDatabase(server: string, name: string): Promise<string> {
  await onServer(
    server,
    `create database ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`,
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}

/** The server reserves their limits, and has room for few systems. */
async function deleteStreams(natsUrl: string, namespace: string): Promise<void> {
  const bus = await connectBus({ url: natsUrl, namespace, name: 'spec' });
  try {
    const { streams } = await jetstreamManager(bus.connection);
    for await (const { config } of streams.list())
      if (config.name.replace(/^(KV|OBJ)_/, '').startsWith(`${namespace}_`)) await streams.delete(config.name);
  } finally {
    await bus.close();
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
