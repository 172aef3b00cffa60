import { execFileSync, fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestSystem } from '#testing';
import { environment, median, report } from '../report.js';
import { RowCounter } from './row-counter.js';
import type { Sizes, Written } from './row-counter.js';
import { CpuUsage } from './cpu-usage.js';
import { readOptions } from './options.js';
import type { RawOrder } from './baseline.js';
import { Organization } from './organization.js';
import type { Taken } from './sink.js';

const processes = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'];
const memorySizes = [1_000, 100_000];
const sampleMs = 200;
/** Nothing here takes longer a message, even on a slow machine. */
const patienceMs = (size: number) => 60_000 + size * 20;
/** Fewer bytes a message than this are noise: files grow by pages of 8 kB. */
const worthBytes = 5;
/** Tables that the audience fills, not the send. */
const audienceTables = /^subscriber\.(subscriber|subscriber_tag)\b/;
/** Fewer rows a message than this are written by the group, the page or the second. */
const worthTelling = 0.01;

const options = readOptions(process.argv.slice(2));
const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
const helpers: ChildProcess[] = [];

/** A program of this bench, and a way to ask it something. */
function helper<Question extends number | object>(file: string) {
  const child = fork(join(buildDir, 'bench', 'campaign-send', file), [], { execArgv: ['--v8-pool-size=1'] });
  helpers.push(child);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code}`);
  });
  ended.catch(() => undefined);
  const answer = async <A>(withinMs = patienceMs(0)): Promise<A> => {
    const late = new AbortController();
    const tooLate = sleep(withinMs, null, { signal: late.signal, ref: false }).then(() => {
      throw new Error(`${file} says nothing for ${withinMs} ms`);
    });
    try {
      const [message] = (await Promise.race([once(child, 'message', { signal: late.signal }), ended, tooLate])) as [A];
      return message;
    } finally {
      tooLate.catch(() => undefined);
      late.abort();
    }
  };
  return { answer, ask: (question: Question) => void child.send(question), pid: child.pid! };
}

const sink = helper<number>('sink.js');
const { port } = await sink.answer<{ port: number }>();
const raw = helper<RawOrder>('baseline.js');

/** What the sink took while `work` sent it `size` messages. */
async function taken(size: number, work: () => Promise<void>): Promise<Taken & { rate: number }> {
  sink.ask(size);
  await sink.answer();
  const [result] = await Promise.all([sink.answer<Taken>(patienceMs(size)), work()]);
  return { ...result, rate: (size - 1) / result.seconds };
}

interface Bench {
  system: TestSystem;
  books: RowCounter;
  ledger: CpuUsage;
}

interface Sent extends Taken {
  rate: number;
  /** Messages a second from the call to the campaign's being SENT. */
  whole: number;
  /** Seconds from then until every fact was in the history of its subscriber. */
  lag: number;
  /** Kilobytes resident in delivery, sampled five times a second. */
  memory: number[];
  /** A message, of the whole server. */
  walBytes: number;
}

/** Sends campaigns to `size` people of a new organization, one after the other. */
async function campaigns(bench: Bench, size: number, count: number): Promise<Sent[]> {
  let organization = await Organization.open(bench.system, natsUrl, size);
  const sent = [await campaign(bench, organization, { size })];
  while (sent.length < count) {
    organization = await organization.withNextCampaign();
    sent.push(await campaign(bench, organization, { size, sentBefore: size * sent.length }));
  }
  return sent;
}

async function campaign(
  { system, books: rowCounter, ledger: cpuUsage }: Bench,
  organization: Organization,
  { size, kind = 'campaign', sentBefore = 0 }: { size: number; kind?: string; sentBefore?: number },
): Promise<Sent> {
  const delivery = system.alive('delivery')[0]!.child.pid!;
  const memory: number[] = [];
  // A process a sample: only where memory is the question.
  const sampling = options.memory ? setInterval(() => memory.push(residentKb(delivery)), sampleMs) : undefined;
  const walBefore = await rowCounter.walBytes();
  const sent = await cpuUsage.during(kind, size, async () => {
    const startedAt = performance.now();
    const result = await taken(size, () => organization.send());
    if (result.recipients !== size) throw new Error(`${size} messages reached ${result.recipients} recipients`);
    await organization.sent(patienceMs(size));
    const sentAt = performance.now();
    clearInterval(sampling);
    await rowCounter.factsApplied(organization.organizationId, sentBefore + size, patienceMs(size));
    return { ...result, whole: (size * 1000) / (sentAt - startedAt), lag: (performance.now() - sentAt) / 1000 };
  });
  process.stderr.write(`· ${size} people: ${sent.rate.toFixed(0)}/s\n`);
  return { ...sent, memory, walBytes: ((await rowCounter.walBytes()) - walBefore) / size };
}

const residentKb = (pid: number): number => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]));

async function compare(bench: Bench): Promise<void> {
  const { books: rowCounter, ledger: cpuUsage } = bench;
  const { size, runs, connections } = options;
  const sendRaw = (message: string, signed: boolean) =>
    cpuUsage.during(`raw pool, ${signed ? 'signed' : 'unsigned'}`, size, () =>
      taken(size, async () => {
        raw.ask({ port, connections, count: size, message, signed });
        await raw.answer(patienceMs(size));
      }),
    );
  const warmSize = Math.min(size, 2_000);
  const warmOrganization = await Organization.open(bench.system, natsUrl, warmSize);
  const warm = await campaign(bench, warmOrganization, { size: warmSize, kind: 'warming up' });
  const isSigned = Buffer.from(warm.sample, 'base64').includes('DKIM-Signature:');
  if (isSigned !== (options.dkim !== 'relay'))
    throw new Error(`with --dkim ${options.dkim} mail is signed: ${isSigned}`);
  const before = await rowCounter.written();
  const sizesBefore = await rowCounter.sizes();
  const tenant: Sent[] = [];
  const signed: number[] = [];
  const unsigned: number[] = [];
  for (let run = 0; run < runs; run++) {
    tenant.push(...(await campaigns(bench, size, options.campaigns)));
    signed.push((await sendRaw(warm.sample, true)).rate);
    unsigned.push((await sendRaw(warm.sample, false)).rate);
  }
  const rate = median(tenant.map((one) => one.rate));
  report(
    `campaign-send${isSigned ? '' : ', unsigned'}: ${size} people, ${connections} connections, medians of ${runs}; messages a second at the sink`,
    [
      {
        name: 'campaign',
        rate,
        whole: median(tenant.map(({ whole }) => whole)),
        lag: median(tenant.map(({ lag }) => lag)),
      },
      { name: 'raw pool, signed', rate: median(signed) },
      { name: 'raw pool, unsigned', rate: median(unsigned) },
    ],
    [
      { name: 'against the raw pool, signed', value: rate / median(signed), bar: isSigned ? '>= 0.6' : '(no bar)' },
      { name: 'against the raw pool, unsigned', value: rate / median(unsigned), bar: '(no bar)' },
    ],
  );
  const after = await rowCounter.written();
  const walBytes = median(tenant.map((one) => one.walBytes));
  const bytes = `${bytesText(sizesBefore, await rowCounter.sizes(), size * tenant.length)}\n  bytes of write-ahead log a message: ${walBytes.toFixed(0)}\n`;
  process.stdout.write(cpuUsage.text() + rowsText(before, after, size * tenant.length) + bytes);
}

/** Bytes on disk a message, table by table with indexes and dead rows, without those that filled the audience. */
function bytesText(before: Sizes, after: Sizes, messages: number): string {
  const tables = [...after]
    .filter(([name]) => !audienceTables.test(name))
    .map(([name, bytes]) => ({ name, each: (bytes - (before.get(name) ?? 0)) / messages }))
    .filter(({ each }) => Math.abs(each) >= worthBytes);
  const sum = tables.reduce((all, { each }) => all + each, 0);
  const lines = tables.map(({ name, each }) => `  ${name.padEnd(46)} ${each.toFixed(0)}`);
  return `\n  bytes on disk a message: ${sum.toFixed(0)}\n${lines.join('\n')}\n`;
}

/** Row operations a message, table by table, without those that filled the audience. */
function rowsText(before: Written, after: Written, messages: number): string {
  const rows = [...after]
    .filter(([name]) => !(audienceTables.test(name) && name.endsWith(' inserts')))
    .map(([name, n]) => ({ name, each: (n - (before.get(name) ?? 0)) / messages }))
    .filter(({ each }) => each >= worthTelling);
  const sum = (schema: string) =>
    rows.filter(({ name }) => name.startsWith(`${schema}.`)).reduce((all, { each }) => all + each, 0);
  const lines = rows.map(({ name, each }) => `  ${name.padEnd(46)} ${each.toFixed(2)}`);
  return `\n  row operations a message: delivery ${sum('delivery').toFixed(2)}, subscriber ${sum('subscriber').toFixed(2)}, campaign ${sum('campaign').toFixed(2)}\n${lines.join('\n')}\n`;
}

async function memory(bench: Bench): Promise<void> {
  await campaigns(bench, memorySizes[0]!, 1);
  const rows = [];
  for (const size of memorySizes) {
    const [sent] = await campaigns(bench, size, 1);
    const { memory: kilobytes, rate, lag } = sent!;
    const megabytes = median(kilobytes) / 1024;
    rows.push({ name: `${size} people`, megabytes, most: Math.max(...kilobytes) / 1024, rate, lag });
  }
  const [small, large] = rows;
  report(
    'campaign-send: memory of the delivery process, median of all samples and the most between two collections',
    rows,
    [{ name: 'memory at 100 k against 1 k', value: large!.megabytes / small!.megabytes, bar: '<= 1.25' }],
  );
}

const system = await TestSystem.start({
  buildDir,
  databaseUrl,
  natsUrl,
  masterKey,
  environment: {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    SMTP_CONNECTIONS: String(options.connections),
    SMTP_DKIM: options.dkim,
    ...options.environment,
  },
  processes,
});
const rowCounter = new RowCounter(system.environment.DATABASE_URL!);
try {
  await rowCounter.open();
  await system.awaitLedger();
  const cpuUsage = new CpuUsage(system, rowCounter, { sink: sink.pid, raw: raw.pid });
  await (options.memory ? memory : compare)({ system, books: rowCounter, ledger: cpuUsage });
} finally {
  await rowCounter.close();
  await system.stop();
  helpers.forEach((child) => child.disconnect());
}
