import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { domainRequests, workflowLifeTools, workflowTools } from '#contracts';
import { copySubscribers, TestSystem } from '#testing';
import type { Copied } from '#testing';
import pg from 'pg';
import { environment } from '../report.js';

/** How much of each part. */
export interface Sizes {
  size: number;
  runs: number;
  waiting: number;
  /** Enrolments a second beside what reacts. */
  pace: number;
}

type GivenStep = { id: string; type: string; config: Record<string, unknown> };

const processes = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'];
/** The kernel counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

/** The real system with a database of its own, and what the parts of the bench ask of it. */
export class Organization {
  private constructor(
    readonly system: TestSystem,
    readonly bus: Bus,
    /** The owner's connection. */
    readonly sql: pg.Client,
  ) {}

  static async open(added: Record<string, string>): Promise<Organization> {
    const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
    // Test addresses walk the whole way but for the socket: there is no relay.
    const services = { SMTP_URL: 'smtp://127.0.0.1:9', ...added };
    const system = await TestSystem.start({
      buildDir,
      databaseUrl,
      natsUrl,
      masterKey,
      environment: services,
      processes,
    });
    const bus = await connectBus({ url: natsUrl, namespace: system.databaseName, name: 'bench' });
    const sql = new pg.Client({ connectionString: system.environment.DATABASE_URL });
    await sql.connect();
    return new Organization(system, bus, sql);
  }

  async close(): Promise<void> {
    await this.sql.end();
    await this.bus.close();
    await this.system.stop();
  }

  caller(organizationId: string) {
    return serviceCaller(organizationId, randomUUID());
  }

  /** An organization with `count` subscribers at test addresses, every second of them with the tag `half`. */
  async organization(count: number): Promise<{ organizationId: string; people: Copied }> {
    const asked = { name: 'Bench' };
    const { organization } = await this.bus.client(domainRequests).create_organization(asked, this.caller(''));
    const place = { databaseUrl: this.system.environment.DATABASE_URL!, organizationId: organization.id };
    const people = await copySubscribers({ ...place, count, email: (n) => `person${n}@example.com` });
    return { organizationId: organization.id, people };
  }

  /** A live workflow; without edges its steps follow each other. @returns its id */
  async workflow(
    organizationId: string,
    steps: readonly GivenStep[],
    edges: { source: string; target: string; branch?: string }[] = steps
      .slice(1)
      .map(({ id }, n) => ({ source: steps[n]!.id, target: id })),
  ): Promise<string> {
    const drafts = this.bus.client(workflowTools);
    const { workflow, workflowId } = await drafts.create_workflow({ name: 'Bench' }, this.caller(organizationId));
    const draft = { workflowId, expectedUpdatedAt: workflow.updatedAt, steps: [...steps], edges };
    await drafts.configure_workflow_draft(draft, this.caller(organizationId));
    await this.bus.client(workflowLifeTools).publish_workflow({ workflowId }, this.caller(organizationId));
    return workflowId;
  }

  /** Seconds of processor time by process, and of all connections to the database together. */
  async spent(): Promise<Map<string, number>> {
    const { rows } = await this.sql.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    const services = this.system.processes.map(({ name, child }): [string, number] => [name, secondsOf(child.pid!)]);
    return new Map([...services, ['database', rows.reduce((sum, { pid }) => sum + secondsOf(pid), 0)]]);
  }

  /** Seconds of processor time that the workflow service and each of its connections to the database have used. */
  async used(): Promise<{ service: number; connections: Map<number, number> }> {
    const { rows } = await this.sql.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like '%workflow%'`,
    );
    const service = this.system.alive('workflow')[0]!.child.pid!;
    return { service: secondsOf(service), connections: new Map(rows.map(({ pid }) => [pid, secondsOf(pid)])) };
  }
}

/** User and system time of a process (proc(5), fields 14 and 15 of stat). */
function secondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Asking more often would be a load of its own. */
const askEveryMs = 500;

/** Awaits a condition that costs something to ask for. @throws Error naming it after `withinMs` */
export async function awaitSlowly(what: string, condition: () => Promise<boolean>, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await sleep(askEveryMs);
  }
}

/** The value below which a share of them lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
