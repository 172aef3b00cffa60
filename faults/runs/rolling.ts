import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceCaller } from '#bus';
import { domainTools } from '#contracts';
import { services } from '../inject/process-fault.js';
import { callSomewhere, liftRateLimit } from '../load/gateway-client.js';
import type { ToolCall } from '../load/gateway-client.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { table } from '../report/table.js';

/** Processes that have just started are slow: the load grows to its height within this time. */
const warmingMs = 15_000;
/** Load before the first and after the last restart, and between two. */
const steadyMs = 3_000;
/** How far the generator may be behind its clock; behind that the machine is too small for both. */
const behindMaxMs = 10_000;

/** The calls made while one process was replaced. */
export interface Replacement {
  service: string;
  calls: number;
  failed: number;
  /** Milliseconds from when a call was due to its answer. */
  p50: number;
  p99: number;
  slowest: number;
  /** Seconds until the old process had ended, and until the new one was ready. */
  stop: number;
  start: number;
}

export interface RollingResult {
  replacements: Replacement[];
  calls: number;
  seconds: number;
  breaches: string[];
}

/**
 * Runs two processes of every service under `perSecond` calls a second, reads and writes of all services. Each process
 * is stopped and restarted, one after the other. No call may fail, none may be slower than its deadline.
 */
export async function runRolling({ system, bus }: FaultRig, perSecond: number): Promise<RollingResult> {
  const started = Date.now();
  const { organizationId } = system;
  await liftRateLimit(bus, organizationId);
  const { senders } = await bus.client(domainTools).get_email_senders({}, serviceCaller(organizationId, 'rig'));
  for (const name of services) await system.add(name);
  const run = randomUUID().slice(0, 8);
  const sender = senders[0]!.email;
  const traffic = new Traffic((n) => callSomewhere(system, callOf(n, { run, sender }), n), perSecond);
  await pause(2 * warmingMs);
  const replacements: Replacement[] = [await traffic.measure('nothing', () => pause(steadyMs))];
  for (const service of services) {
    for (const one of system.alive(service)) {
      if (traffic.isOver) break;
      const took = { stop: 0, start: 0 };
      const measured = await traffic.measure(service, async () => {
        const from = Date.now();
        await system.end(one);
        took.stop = (Date.now() - from) / 1000;
        await system.add(service);
        took.start = (Date.now() - from) / 1000 - took.stop;
        await pause(steadyMs);
      });
      if (one.child.exitCode !== 0) traffic.breaches.push(`a ${service} ended with ${one.child.exitCode}`);
      replacements.push({ ...measured, ...took });
    }
  }
  await traffic.stop();
  for (const service of services) await system.end(system.alive(service)[0]!);
  return { replacements, calls: traffic.calls, seconds: (Date.now() - started) / 1000, breaches: traffic.breaches };
}

/** Of ten calls eight are reads, of all services; the writes are taken in turns. @param by `run` makes the names its own */
function callOf(n: number, { run, sender }: { run: string; sender: string }): ToolCall {
  const turn = Math.floor(n / 10);
  const email = `p${turn}@${run}.rolling.internal`;
  const mail = { to: `p${turn}@example.com`, from: sender, subject: 'Receipt', contentType: 'MARKDOWN' };
  const writes: ToolCall[] = [
    { tool: 'create_campaign', input: { subject: `Rolling ${n}` } },
    { path: '/api/v1/emails', input: { ...mail, content: 'Thanks' } },
    { tool: 'create_tag', input: { name: `${run} ${n}` } },
    { tool: 'create_workflow', input: { name: `${run} ${n}` } },
  ];
  const reads = ['list_tags', 'list_campaigns', 'get_email_senders', 'list_workflows', 'count_subscribers'];
  if (n % 10 === 0) return { tool: 'add_subscriber', input: { email, tags: ['rolling'] } };
  if (n % 10 === 5) return writes[turn % writes.length]!;
  return { tool: [...reads, 'get_deliverability_health', 'list_subscribers'][n % 7]!, input: {} };
}

/** Calls at the times of a clock, however long the answers take. */
class Traffic {
  readonly breaches: string[] = [];
  calls = 0;
  #times: number[] = [];
  #failed = 0;
  #stopping = false;
  readonly #open = new Set<Promise<void>>();
  readonly #running: Promise<void>;

  constructor(
    private readonly call: (n: number) => Promise<{ status: number; body: object }>,
    private readonly perSecond: number,
  ) {
    this.#running = this.#run();
  }

  /** Returns the calls that were answered during `work`. */
  async measure(service: string, work: () => Promise<void>): Promise<Replacement> {
    this.#times = [];
    this.#failed = 0;
    await work();
    const times = this.#times.sort((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
    const slow = { p50: at(0.5), p99: at(0.99), slowest: at(1) };
    return { service, calls: times.length, failed: this.#failed, ...slow, stop: 0, start: 0 };
  }

  /** Waits until every call has been answered. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
    await Promise.all(this.#open);
  }

  /** Whether the machine could not keep up. */
  get isOver(): boolean {
    return this.#stopping;
  }

  async #run(): Promise<void> {
    const started = performance.now();
    for (let due = started; !this.#stopping;) {
      due += 1000 / (this.perSecond * Math.min(1, 0.1 + (0.9 * (due - started)) / warmingMs));
      const early = due - performance.now();
      if (early > 0) await pause(early);
      if (early < -behindMaxMs) {
        this.breaches.push(`${this.perSecond} calls a second were too much for this machine`);
        this.#stopping = true;
      }
      const asking: Promise<void> = this.#ask(this.calls++, due).finally(() => this.#open.delete(asking));
      this.#open.add(asking);
    }
  }

  async #ask(n: number, due: number): Promise<void> {
    const failure = await this.call(n).then(
      ({ status, body }) => (status === 200 ? null : `${status} ${JSON.stringify(body)}`),
      (error: unknown) => `${String(error)} ${String((error as Error).cause ?? '')}`,
    );
    this.#times.push(performance.now() - due);
    if (failure === null) return;
    this.#failed += 1;
    if (this.breaches.length < 20) this.breaches.push(`call ${n} failed: ${failure}`);
  }
}

/** The replaced processes and the calls meanwhile, as a Markdown table and a line. */
export function rollingTable({ replacements, calls, seconds }: RollingResult): string {
  const rows = replacements.map((one) => [
    one.service,
    ...[one.calls, one.failed].map(String),
    ...[one.p50, one.p99, one.slowest].map((ms) => `${ms} ms`),
    ...[one.stop, one.start].map((s) => (s === 0 ? '' : `${s.toFixed(1)} s`)),
  ]);
  const head = ['replaced', 'calls', 'failed', 'p50', 'p99', 'slowest', 'ended after', 'ready after'];
  const failed = replacements.reduce((sum, one) => sum + one.failed, 0);
  return `${table(head, rows)}\n\nrolling: ${calls} calls, ${failed} failed, ${seconds.toFixed(0)} s`;
}
