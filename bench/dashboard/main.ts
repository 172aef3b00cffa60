import { rmSync, statSync } from 'node:fs';
import path, { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { median, report } from '../report.js';
import { Installation, largestMail, owner } from './installation.js';
import type { BrowserModule, MeasuredBrowser, Times } from './measured-browser.js';
import { readOptions } from './options.js';
import { writeRows } from './import-rows.js';
import type { Options } from './options.js';

/** Milliseconds, unless the name says otherwise: section 11 of the design. */
const budgets = {
  firstPaint: 1_200,
  routeChange: 200,
  interaction: 100,
  keyToPreview: 50,
  firstRows: 500,
  /** From the address of a workflow of 500 steps to its first steps. */
  workflow: 1_500,
  /** Of a graph of 500 steps while it is moved. */
  frame: 20,
  /** Megabytes of heap of the page that an import may add. */
  importHeap: 8,
  /** Megabytes that all processes of the browser may add, however large the file is. */
  importMemory: 40,
  /** Of 60; a frame in twenty may be late on a machine that also runs the system. */
  framesPerSecond: 57,
  /** Heap at the end against that after warming up. */
  heapGrowth: 1.1,
};
const runs = 7;
const keys = 40;
const idleSeconds = 20;

interface Held {
  name: string;
  value: number;
  budget: number;
  isLeast?: boolean;
}

const p95 = (times: Times): number =>
  [...times].sort((a, b) => a - b)[Math.max(0, Math.ceil(times.length * 0.95) - 1)] ?? Number.NaN;

async function openBrowser(installation: Installation): Promise<MeasuredBrowser> {
  // Not compiled with the benches: its packages are those of the tests.
  const file = pathToFileURL(resolve('apps/dashboard/test/bench/browser.mjs')).href;
  const module = (await import(file)) as BrowserModule;
  return module.openBrowser({ url: installation.url, email: owner.email, password: owner.password });
}

/** Prints figures against their budgets. @returns whether all hold */
function hold(title: string, figures: readonly Held[], others: Record<string, number> = {}): boolean {
  const isHeld = ({ value, budget, isLeast }: Held) => (isLeast ? value >= budget : value <= budget);
  report(
    title,
    [{ name: 'also', ...others }],
    figures.map(({ name, value, budget, isLeast }) => ({ name, value, bar: `${isLeast ? '>=' : '<='} ${budget}` })),
  );
  const failed = figures.filter((figure) => !isHeld(figure));
  for (const { name, value, budget } of failed)
    process.stderr.write(`Above budget: ${name} is ${value.toFixed(1)}, not ${budget}.\n`);
  return failed.length === 0;
}

async function measure(installation: Installation, browser: MeasuredBrowser, options: Options): Promise<boolean> {
  const campaignId = await installation.draft('The largest golden mail', largestMail());
  const firstPaints = await browser.firstPaints(runs);
  const routeChanges = await browser.routeChanges(28);
  const interactions = await browser.interactions();
  const keyTimes = await browser.keysToPreview(campaignId, keys);
  const list = await browser.longList(runs);
  const idle = await browser.idleCalls(idleSeconds);
  const heaps = await browser.longUse(options.minutes);
  const [, warm = Number.NaN] = list.heaps;
  return hold(
    `dashboard: ${options.size.toLocaleString('en')} subscribers, ${options.minutes} minutes of use; ms where nothing else is said`,
    [
      { name: 'largest contentful paint, cold, median', value: median(firstPaints), budget: budgets.firstPaint },
      { name: 'route change with data there, p95', value: p95(routeChanges), budget: budgets.routeChange },
      { name: 'interaction, p95', value: p95(interactions), budget: budgets.interaction },
      { name: 'key to preview, p95', value: p95(keyTimes), budget: budgets.keyToPreview },
      { name: 'first rows of the list, median', value: median(list.firstRows), budget: budgets.firstRows },
      { name: 'frames a second', value: list.framesPerSecond, budget: budgets.framesPerSecond, isLeast: true },
      {
        name: 'heap of the list, end / 5,000 rows',
        value: list.heaps.at(-1)! / Math.max(warm, ...list.heaps.slice(1, 3)),
        budget: budgets.heapGrowth,
      },
      { name: `calls in ${idleSeconds} idle seconds`, value: idle, budget: 0 },
      { name: 'heap of use, last / first rounds', value: growth(heaps), budget: budgets.heapGrowth },
    ],
    {
      'key median': median(keyTimes),
      'route median': median(routeChanges),
      interactions: interactions.length,
      'rows scrolled': list.rows,
      'list MB': list.heaps.at(-1)!,
      rounds: heaps.length,
      'use MB': heaps.at(-1)!,
    },
  );
}

/** The median of the last third of the rounds against that of the first; the very first warms up. */
function growth(heaps: readonly number[]): number {
  const rounds = heaps.slice(1);
  const third = Math.max(1, Math.floor(rounds.length / 3));
  return median(rounds.slice(-third)) / median(rounds.slice(0, third));
}

/** A workflow of 500 steps: opened, and its graph moved. */
async function workflow(installation: Installation, browser: MeasuredBrowser): Promise<boolean> {
  const { graph, outline, frames } = await browser.workflow(await installation.largestWorkflow(), runs);
  return hold(
    'dashboard --only workflow: 500 steps; ms',
    [
      { name: 'graph, median', value: median(graph), budget: budgets.workflow },
      { name: 'outline, median', value: median(outline), budget: budgets.workflow },
      { name: 'frame of the graph while it is moved, median', value: median(frames), budget: budgets.frame },
    ],
    { 'graph p95': p95(graph), 'outline p95': p95(outline), 'frame p95': p95(frames), frames: frames.length },
  );
}

/** A file of many rows, through the pages of imports: memory must not grow with it. */
async function importFile(browser: MeasuredBrowser, { rows }: Options): Promise<boolean> {
  const file = await writeRows(rows);
  try {
    const megabytes = statSync(file).size / 1_048_576;
    const { before, ...phases } = await browser.importFile(file, rows);
    const most = (of: 'heap' | 'resident') => Math.max(...Object.values(phases).map((phase) => phase[of]));
    return hold(
      `dashboard --only import: ${rows.toLocaleString('en')} rows, ${megabytes.toFixed(0)} MB; MB where nothing else is said`,
      [
        { name: 'heap of the page, most above before', value: most('heap') - before.heap, budget: budgets.importHeap },
        {
          name: 'processes of the browser, most above before',
          value: most('resident') - before.resident,
          budget: budgets.importMemory,
        },
      ],
      {
        'heap before': before.heap,
        'processes before': before.resident,
        ...Object.fromEntries(
          Object.entries(phases).flatMap(([name, { heap, resident, seconds }]) => [
            [`heap ${name}`, heap],
            [`processes ${name}`, resident],
            [`seconds ${name}`, seconds],
          ]),
        ),
      },
    );
  } finally {
    rmSync(path.dirname(file), { recursive: true });
  }
}

async function live(installation: Installation, browser: MeasuredBrowser, options: Options): Promise<boolean> {
  const campaignId = await installation.draft('Watched', {});
  await installation.send(campaignId);
  const isSent = async () => {
    const progress = await installation.progressOf(campaignId);
    if (!progress) return false;
    const { status, sent } = progress;
    process.stderr.write(`· ${status} ${sent.toLocaleString('en')}\n`);
    if (status === 'PAUSED') throw new Error('The campaign was paused.');
    return status === 'SENT';
  };
  const watched = await browser.watch(campaignId, isSent);
  return hold(
    `dashboard --live: ${options.recipients.toLocaleString('en')} recipients at ${options.rate.toLocaleString('en')} a second`,
    [{ name: 'interaction, p95', value: p95(watched.interactions), budget: budgets.interaction }],
    {
      'calls/min': watched.callsPerMinute,
      interactions: watched.interactions.length,
      seconds: watched.seconds,
      'messages/s': options.recipients / watched.seconds,
    },
  );
}

const options = readOptions(process.argv.slice(2));
const installation = options.live
  ? await Installation.open(options.recipients, { SMTP_RATE: String(options.rate) })
  : await Installation.open(options.size);
try {
  const browser = await openBrowser(installation);
  try {
    const isHeld = options.live
      ? await live(installation, browser, options)
      : options.only === 'workflow'
        ? await workflow(installation, browser)
        : options.only === 'import'
          ? await importFile(browser, options)
          : (await measure(installation, browser, options)) && (await workflow(installation, browser));
    if (!isHeld) process.exitCode = 1;
  } finally {
    await browser.close();
  }
} finally {
  await installation.close();
}
