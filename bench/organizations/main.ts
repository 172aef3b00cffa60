import { setTimeout as sleep } from 'node:timers/promises';
import { uuidOf } from '#database';
import { report } from '../report.js';
import { quantile } from '../workflows/organization.js';
import { readCourses, Watch } from './courses.js';
import { extremes, worstRatio } from './fairness.js';
import type { Course } from './fairness.js';
import { Installation } from './installation.js';
import type { Organization } from './installation.js';
import { readOptions } from './options.js';

/*
 * Whether many organizations with a campaign and a workflow each are served fairly, within a factor of two.
 *
 * All campaigns are due at one moment, the beginning, and so is a timer of all runs. Mail goes to a relay on this machine
 * and not to test addresses, since connections are what campaigns compete for.
 *
 * Fair means: of any two organizations that both had work waiting, from the moment when both had it, the one that got
 * more got at most twice as much and one unit, n <= 2m + 1, which is (n + 1) / (m + 1) <= 2. A unit is what the services
 * claim at one time: a chunk of 500 messages, or a batch of 200 steps; where organizations have fewer, as many as they
 * have. Chunks are counted when they are claimed, sampled every second: what was claimed before the later organization
 * had a campaign to send is not held against the other. Steps are counted by the times in the history of runs.
 *
 * The ends say less: if one organization were served after the other, the slowest would take twice as long as the median,
 * and not more. They show what an organization notices. With `--large` the ratios include the large organization, which
 * begins first, and the ends are those of the others.
 */

const stepBatchSize = 200;
/** For the statements that make all due at the beginning. */
const leadMs = 10_000;
/** The large organization begins so much earlier: due campaigns are polled for every five seconds. */
const headStartMs = 6_000;
const sampleMs = 1_000;
/** The history is sampled less often, since that reads all of it. */
const historySeconds = 5;
/** Nothing here takes longer a message or a step, even on a slow machine. */
const patienceMs = (work: number) => 300_000 + work * 20;

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;
const say = (text: string) => process.stderr.write(`· ${text}\n`);

interface Begun {
  beginning: Date;
  watch: Watch;
  /** The uuid of the large organization. */
  large: string | null;
}

/** Makes the organizations and has all of them begin at one moment. */
async function begin(installation: Installation): Promise<Begun> {
  const { organizations: count, size, runs, large: largeSize } = options;
  let since = performance.now();
  const small = await installation.organizations(count, size);
  const large: Organization[] = largeSize > 0 ? await installation.organizations(1, largeSize) : [];
  say(`${count + large.length} organizations made in ${seconds(since)}`);
  since = performance.now();
  await installation.enrol(small, runs);
  await installation.enrol(large, largeSize);
  say(`${count * runs + largeSize} runs enrolled in ${seconds(since)}`);
  since = performance.now();
  await installation.schedule([...large, ...small]);
  say(`campaigns scheduled in ${seconds(since)}`);
  const beginning = new Date(Date.now() + leadMs + headStartMs);
  await installation.beginAt(large, new Date(beginning.getTime() - headStartMs));
  await installation.beginAt(small, beginning);
  if (Date.now() > beginning.getTime()) throw new Error('The beginning came before all was due then.');
  const messages = [...small, ...large].map((one): [string, number] => [one.organizationId, one.subscriberIds.length]);
  const watch = new Watch(installation.sql, beginning, new Map(messages));
  return { beginning, watch, large: large[0] ? uuidOf('org', large[0].organizationId) : null };
}

/** Waits until every campaign and every run has ended, and the history has every message. */
async function finish({ sql }: Installation, { beginning, watch }: Begun): Promise<void> {
  const { organizations: count, size, runs, large } = options;
  const until = beginning.getTime() + patienceMs(count * (size + 2 * runs) + 3 * large);
  for (let n = 1, isOver = false; !isOver; n++) {
    await sleep(sampleMs - ((Date.now() - beginning.getTime()) % sampleMs));
    await watch.sampleChunks();
    if (n % historySeconds > 0) continue;
    const isComplete = await watch.sampleHistory();
    const { rows } = await sql.query<{ sends: number; runs: number }>(
      `select (select count(*)::int from delivery.send where finished_at is not null) as sends,
         (select count(*)::int from workflow.run where state in ('ACTIVE', 'WAITING')) as runs`,
    );
    isOver = isComplete && rows[0]!.runs === 0 && rows[0]!.sends === count + Number(large > 0);
    if (Date.now() > until) throw new Error(`Not over in time: ${JSON.stringify(rows[0])}`);
  }
}

/** The least and the most at five moments of the time in which organizations wait. */
function momentsOf(name: string, courses: readonly Course[]) {
  const end = quantile(
    courses.map(({ endedAt }) => endedAt),
    0.5,
  );
  return [0.1, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = Math.max(1, Math.round(end * share));
    const started = courses.filter(({ startedAt }) => startedAt <= at);
    const { waiting, least, most } = extremes(
      started.map((one) => ({ ...one, startedAt: 0 })),
      0,
      at,
    );
    return { name: `${name} after ${at} s`, waiting, least, most };
  });
}

const endsOf = (name: string, times: readonly number[]) => ({
  name,
  median: quantile(times, 0.5),
  p95: quantile(times, 0.95),
  slowest: Math.max(...times),
});

async function measure({ sql }: Installation, begun: Begun): Promise<void> {
  const { beginning, watch, large } = begun;
  const messages = await readCourses(sql, 'messages', beginning);
  const steps = await readCourses(sql, 'steps', beginning);
  const chunks = watch.chunks(messages);
  const small = (courses: readonly Course[]) => courses.filter(({ organizationId }) => organizationId !== large);
  const end = (courses: readonly Course[]) => Math.max(...courses.map(({ endedAt }) => endedAt));
  const total = (courses: readonly Course[]) => courses.reduce((sum, { got }) => sum + got.at(-1)!, 0);
  const ends = (courses: readonly Course[]) => small(courses).map(({ endedAt }) => endedAt);
  const [campaignEnds, runEnds] = [endsOf('campaigns end, s', ends(messages)), endsOf('workflows end, s', ends(steps))];
  const largeEnd = (courses: readonly Course[]) =>
    courses.find(({ organizationId }) => organizationId === large)?.endedAt;
  report(
    `organizations: ${options.organizations} with a campaign to ${options.size} and a workflow with ${options.runs} runs each` +
      `${large ? `, and one of ${options.large} that begins first` : ''}; ${options.replicas} × delivery and workflow`,
    [
      { name: 'campaigns', 'messages/s': total(messages) / end(messages), messages: total(messages) },
      { name: 'workflows', 'steps/s': total(steps) / end(steps), steps: total(steps) },
      ...momentsOf('chunks', small(chunks)),
      ...momentsOf('messages', small(messages)),
      ...momentsOf('steps', small(steps)),
      endsOf(
        'campaigns start, s',
        small(messages).map(({ startedAt }) => startedAt),
      ),
      campaignEnds,
      runEnds,
      ...(large ? [{ name: 'the large one ends, s', campaign: largeEnd(messages)!, workflow: largeEnd(steps)! }] : []),
      endsOf('history is behind, s', watch.lags(messages)),
    ],
    [
      { name: 'chunks: worst (n + 1) / (m + 1)', value: worstRatio(chunks, 1), bar: '<= 2' },
      {
        name: 'batches of steps: worst (n + 1) / (m + 1)',
        value: worstRatio(steps, large ? stepBatchSize : Math.min(stepBatchSize, options.runs)),
        bar: '<= 2',
      },
      { name: 'campaigns: slowest end against median', value: campaignEnds.slowest / campaignEnds.median, bar: '<= 2' },
      { name: 'workflows: slowest end against median', value: runEnds.slowest / runEnds.median, bar: '<= 2' },
    ],
  );
}

const options = readOptions(process.argv.slice(2));
const installation = await Installation.start(options);
try {
  const begun = await begin(installation);
  await finish(installation, begun);
  await measure(installation, begun);
} finally {
  await installation.stop();
}
