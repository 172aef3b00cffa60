import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SmtpSink, TestSystem, until } from '#testing';
import { RowCounter } from '../campaign-send/row-counter.js';
import { CpuUsage } from '../campaign-send/cpu-usage.js';
import { Organization } from '../campaign-send/organization.js';
import { connectTo, exchange, liftRateLimit, load, requestOf } from '../load.js';
import type { LoadResult } from '../load.js';
import { environment, median, report } from '../report.js';

/*
 * What a transactional email costs its caller, how soon it is at the relay while a campaign goes out, and what a system costs
 * that does nothing. `--size=<recipients of the campaign>`, 20,000 unless said otherwise; `--only=calls` for the first alone;
 * `--profile=<folder>` writes a CPU profile of each process there.
 */

const callers = 4;
const callsEach = 200;
const bareSeconds = 3;
const rounds = 4;
const mailsDuring = 60;
/** A start leaves work behind, last the compilation of code that runs often; it is no cost of being idle. */
const settleSeconds = 300;
const idleSeconds = 60;
/** Linux counts CPU time in hundredths of a second. */
const ticksPerSecond = 100;

const at = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;

/** Seconds of CPU that the processes of a system have used. */
const cpuOf = (system: TestSystem): number =>
  system.processes.reduce((sum, { child }) => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }, 0);

/** Sends mail as an agent does, one at a time: asks, then repeats with the code. */
class Caller {
  readonly times: number[] = [];
  readonly headers;

  readonly #socket;

  constructor(private readonly system: TestSystem) {
    this.#socket = connectTo(system.url());
    this.headers = { authorization: `Bearer ${system.apiToken}`, 'content-type': 'application/json' };
  }

  /** @returns when the executing call was made */
  async send(from: string, to: string): Promise<number> {
    const body = { from, to, subject: 'Your receipt', html: '<p>Thank you for your order.</p>' };
    const { confirmationCode } = await this.#call<{ confirmationCode: number }>('send_email', body);
    const began = performance.now();
    const answer = await this.#call<{ success: boolean; error?: string }>('send_email', { ...body, confirmationCode });
    this.times.push(performance.now() - began);
    if (!answer.success) throw new Error(answer.error);
    return began;
  }

  leave(): void {
    this.#socket.destroy();
  }

  async sender(): Promise<string> {
    const { data } = await this.#call<{ data: { senders: { email: string }[] } }>('get_email_senders', {});
    return data.senders[0]!.email;
  }

  async #call<D>(tool: string, body: object): Promise<D> {
    const url = `${this.system.url()}/api/v2/tools/${tool}`;
    const request = requestOf({ url, headers: this.headers, body: JSON.stringify(body) });
    return JSON.parse((await exchange(this.#socket, request)).body) as D;
  }
}

async function senderOf(system: TestSystem): Promise<string> {
  const caller = new Caller(system);
  const from = await caller.sender();
  caller.leave();
  return from;
}

/** How long mail takes from the call to the relay while a campaign goes out, in milliseconds. */
async function duringCampaign(
  system: TestSystem,
  { from, shop: organization, arrivals }: { from: string; shop: Organization; arrivals: Map<string, number> },
): Promise<{ waits: number[]; before: number }> {
  await organization.send();
  await until('the campaign is under way', () => arrivals.size > 200, 120_000);
  const caller = new Caller(system);
  const before = arrivals.size;
  const waits: number[] = [];
  for (let n = 0; n < mailsDuring; n++) {
    const to = `receipt-${n}@receipts.internal`;
    const began = await caller.send(from, to);
    await until('the mail is at the relay', () => arrivals.has(to), 60_000);
    waits.push(arrivals.get(to)! - began);
  }
  caller.leave();
  return { waits, before };
}

/** The share of a core that an idle system uses. */
async function idleShare(system: TestSystem): Promise<number> {
  await sleep(settleSeconds * 1000);
  const cpu = cpuOf(system);
  await sleep(idleSeconds * 1000);
  return (cpuOf(system) - cpu) / idleSeconds;
}

/** Sends mail and makes bare calls turn about, by as many callers; the first round warms both up and does not count. */
async function sendAndBare(system: TestSystem, cpuUsage: CpuUsage, from: string) {
  const those = Array.from({ length: callers }, () => new Caller(system));
  const bare: LoadResult[] = [];
  for (let round = 0; round <= rounds; round++) {
    const { headers } = those[0]!;
    const call = { url: `${system.url()}/api/v2/tools/list_tags`, headers, body: '{}' };
    bare.push(await load({ ...call, connections: callers, seconds: bareSeconds }));
    const kind = round === 0 ? 'warming up' : 'asked, confirmed and handed over';
    await cpuUsage.during(kind, callers * callsEach, async () => {
      await Promise.all(
        those.map(async (caller, one) => {
          // Test addresses are exempt from the recipient guard, and cost all but the socket.
          for (let n = 0; n < callsEach; n++) await caller.send(from, `someone-${round}-${one}-${n}@example.com`);
        }),
      );
    });
  }
  for (const caller of those) caller.leave();
  const times = those.flatMap((caller) => caller.times.slice(callsEach));
  const counted = bare.slice(1);
  return [
    { name: 'send_email, ms', p50: at(times, 0.5), p99: at(times, 0.99) },
    {
      name: 'list_tags, ms',
      p50: median(counted.map(({ p50 }) => p50)),
      p99: median(counted.map(({ p99 }) => p99)),
    },
  ] as const;
}

async function transactional(size: number, only: string | undefined): Promise<void> {
  const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
  const arrivals = new Map<string, number>();
  const sink = await SmtpSink.start({
    forget: true,
    behave: (to) => {
      arrivals.set(to, performance.now());
      return { do: 'accept' };
    },
  });
  const system = await TestSystem.start({
    buildDir,
    databaseUrl,
    natsUrl,
    masterKey,
    environment: { SMTP_URL: sink.url },
    processes: ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'],
  });
  const rowCounter = new RowCounter(system.environment.DATABASE_URL!);
  const cpuUsage = new CpuUsage(system, rowCounter, {});
  try {
    await rowCounter.open();
    await liftRateLimit(system, natsUrl);
    const idle = only === 'calls' ? null : await idleShare(system);
    const from = await senderOf(system);
    const [sent, bare] = await sendAndBare(system, cpuUsage, from);
    const ratio = { name: 'p99 of send_email against a bare tool call', value: sent.p99 / bare.p99, bar: '<= 5' };
    if (idle === null) return report(`transactional: ${callers} callers`, [sent, bare], [ratio]);
    const organization = await Organization.open(system, natsUrl, size);
    const { waits, before } = await duringCampaign(system, { from, shop: organization, arrivals });
    const stillGoing = arrivals.size - before - mailsDuring > 0;
    report(
      `transactional: ${callers} callers; ${mailsDuring} mails during a campaign to ${size}${stillGoing ? '' : ' (it was over)'}`,
      [sent, bare, { name: 'to the relay meanwhile, ms', p50: at(waits, 0.5), p95: at(waits, 0.95) }],
      [
        ratio,
        { name: 'p95 to the relay during a campaign, s', value: at(waits, 0.95) / 1000, bar: '<= 2' },
        { name: 'an idle system, % of a core', value: idle * 100, bar: '< 2' },
      ],
    );
  } finally {
    process.stdout.write(cpuUsage.text());
    await rowCounter.close();
    await system.stop();
    await sink.stop();
  }
}

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const profile = option('profile');
// Forked processes get the options of this one.
if (profile) process.execArgv.push('--cpu-prof', `--cpu-prof-dir=${profile}`);
await transactional(Number(option('size') ?? 20_000), option('only'));
