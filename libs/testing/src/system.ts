import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';

/** A process of the system; several gateways or services may run beside each other. */
export interface SystemProcess {
  name: string;
  child: ChildProcess;
  /** What it told when it was up. */
  facts: Record<string, unknown>;
  /** Its last lines, for the reader of a failure. */
  lines: string[];
  /** When it was asked to end, in milliseconds since the epoch. */
  leavesSince?: number;
}

export interface SystemOptions {
  /** The compiled project. */
  buildDir: string;
  /** Owner's URL of the server; the system gets a database of its own there. */
  databaseUrl: string;
  natsUrl: string;
  masterKey: string;
  /** Added to every process's environment: SMTP_URL, LOG_LEVEL … */
  environment: Record<string, string>;
  /** Processes to start, in order; `domain` must be the first. */
  processes: readonly string[];
}

/** The real system as processes, on a database and a namespace of its own. */
export class TestSystem {
  readonly processes: SystemProcess[] = [];

  private constructor(
    private readonly options: SystemOptions,
    readonly databaseName: string,
    readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Starts the first process, and all others together when it is ready. */
  static async start(options: SystemOptions): Promise<TestSystem> {
    const databaseName = `run_${randomBytes(5).toString('hex')}`;
    await onServer(
      options.databaseUrl,
      `create database ${databaseName} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`,
    );
    const url = new URL(options.databaseUrl);
    url.pathname = `/${databaseName}`;
    const system = new TestSystem(options, databaseName, {
      PATH: process.env.PATH,
      DATABASE_URL: url.toString(),
      DATABASE_ROLE_PREFIX: 'tidings_test',
      NATS_URL: options.natsUrl,
      NATS_NAMESPACE: databaseName,
      MASTER_KEY: options.masterKey,
      LOG_LEVEL: 'warn',
      PORT: '0',
      PUBLIC_URL: 'http://localhost:3000',
      // As the launcher starts them, and containers with 768 MB.
      NODE_OPTIONS: '--max-old-space-size=384',
      ...options.environment,
    });
    try {
      const [first, ...others] = options.processes;
      if (first) await system.add(first);
      const started = await Promise.allSettled(others.map((name) => system.#launch(name)));
      system.processes.push(...started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
      for (const one of started) if (one.status === 'rejected') throw one.reason;
    } catch (error) {
      await system.stop();
      throw error;
    }
    return system;
  }

  /** Starts one more process of a service and waits until it is ready. */
  async add(name: string, environment: Record<string, string> = {}): Promise<SystemProcess> {
    const one = await this.#launch(name, environment);
    this.processes.push(one);
    return one;
  }

  async #launch(name: string, environment: Record<string, string> = {}): Promise<SystemProcess> {
    const child = fork(join(this.options.buildDir, 'apps', name, 'src', 'main.js'), [], {
      env: { ...this.environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const lines: string[] = [];
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        lines.push(...text.split('\n').filter(Boolean));
        lines.splice(0, lines.length - 200);
      });
    }
    const facts = await new Promise<Record<string, unknown>>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Record<string, unknown>));
      child.once('exit', (code) =>
        reject(new Error(`${name} ended with ${code} before it was ready:\n${lines.join('\n')}`)),
      );
    });
    return { name, child, facts, lines };
  }

  /** The processes of a service that are alive. */
  alive(name: string): SystemProcess[] {
    return this.processes.filter(
      (one) => one.name === name && one.child.exitCode === null && one.child.signalCode === null,
    );
  }

  /** The base address of the n-th gateway. */
  url(n = 0): string {
    return this.alive('gateway')[n]!.facts.url as string;
  }

  /** The token of the organization that the first start made. */
  get apiToken(): string {
    return this.processes.find(({ name }) => name === 'domain')!.facts.apiToken as string;
  }

  get organizationId(): string {
    return this.processes.find(({ name }) => name === 'domain')!.facts.organizationId as string;
  }

  /** Ends a process and waits until it is gone. */
  async end(one: SystemProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (one.child.exitCode !== null || one.child.signalCode !== null) return;
    const gone = new Promise((resolve) => one.child.once('exit', resolve));
    one.leavesSince = Date.now();
    one.child.kill(signal);
    await gone;
  }

  /** Ends everything, the gateways first, and drops the database. */
  async stop(): Promise<void> {
    for (const one of [...this.processes].reverse()) await this.end(one);
    await onServer(this.options.databaseUrl, `drop database if exists ${this.databaseName} with (force)`);
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
