import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { until } from '#testing';
import { awaitEnd, checkHistory, prepareCampaign, schedule } from './campaign.js';
import { breachesOf, compareEffects, readEffects } from '../check/effects.js';
import type { Effects, StruckResult } from '../check/effects.js';
import { EventPulse } from '../check/event-pulse.js';
import { awaitApplied, awaitPublished, consumers } from '../check/lane-progress.js';
import { RecipientLoad } from '../load/recipient-load.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { withDatabase } from '../rig/system-database.js';

const recipients = 200;
const withinMs = 120_000;
/** As long as the stream keeps messages while the service is away, instead of 48 hours. */
const keptMs = 1_000;
const lookEveryMs = 200;
const metricWithinMs = 30_000;

type Victim = 'campaign' | 'subscriber';

export interface AwayResult extends StruckResult {
  service: Victim;
  gaps: number;
  /** Events that the repair applied. */
  repaired: number;
  effects: number;
}

/**
 * A campaign is sent and opened twice: with all services there, and with one that is away until the stream has dropped
 * what it missed. The gap must be detected, be reported by metric and doctor, and be repaired by `events rebuild`. Then
 * both campaigns must have the same effects.
 */
export async function runAway(rig: FaultRig, seed: number): Promise<AwayResult> {
  const started = Date.now();
  const service: Victim = seed % 2 === 0 ? 'campaign' : 'subscriber';
  // A gap shows only in a lane of which the consumer has a number.
  await pulse(rig);
  const expected = (await course(rig, `kept-${seed}`, null)).effects;
  const missed = await course(rig, `away-${seed}`, service);
  const { lost, doubled } = compareEffects(expected, missed.effects);
  const { gaps, repaired, breaches } = missed;
  return {
    kills: 1,
    service,
    gaps,
    repaired,
    lost,
    doubled,
    effects: [...expected.values()].reduce((sum, n) => sum + n, 0),
    seconds: (Date.now() - started) / 1000,
    breaches: [
      ...breaches,
      ...breachesOf([
        [expected.size < recipients, `the run without the fault has ${expected.size} effects only`],
        [lost > 0, `${lost} effects are missing after the repair`],
        [doubled > 0, `${doubled} effects are doubled after the repair`],
      ]),
    ],
  };
}

interface CourseResult {
  effects: Effects;
  gaps: number;
  repaired: number;
  breaches: string[];
}

/** Sends a campaign and opens it, before and after the time in which the victim is away. @param victim null: none is */
async function course(rig: FaultRig, name: string, victim: Victim | null): Promise<CourseResult> {
  const { system, bus, sink } = rig;
  // With this number it opens nothing by itself, and no recipient unsubscribes.
  const readers = new RecipientLoad(system, () => 1);
  sink.onTaken = (email, raw) => readers.receive(email, raw);
  const before = sink.accepted;
  const run = await prepareCampaign(bus, name, recipients);
  await schedule(bus, run);
  await until('messages are accepted', () => sink.accepted - before >= recipients / 4, withinMs);
  // Delivery needs the subscriber service until the last message.
  if (victim === 'campaign') await system.end(system.alive(victim)[0]!, 'SIGKILL');
  await until('all messages are accepted', () => sink.accepted - before >= recipients, withinMs);
  if (victim !== 'campaign') await awaitApplied(system, withinMs);
  if (victim === 'subscriber') await system.end(system.alive(victim)[0]!, 'SIGKILL');
  await readers.openEach((email) => Number(/\d+/.exec(email)![0]) % 3);
  await awaitHits(rig);
  if (victim) await dropStored(rig);
  if (victim) await system.add(victim);
  await readers.openEach(() => 1);
  await awaitHits(rig);
  // Each lane gets a message more, by which a gap shows.
  await pulse(rig);
  const repair = victim ? await repairGaps(rig, victim) : { gaps: 0, repaired: 0, breaches: [] };
  sink.onTaken = () => undefined;
  const failures = await readers.stop();
  const { status } = await awaitEnd(bus, run, withinMs);
  const history = await checkHistory(bus, run);
  const effects = await readEffects(system, run);
  const breaches = breachesOf([
    [status !== 'SENT', `the campaign ${name} is ${status}`],
    [history !== null, `${name}: ${history}`],
  ]);
  return {
    ...repair,
    effects: new Map([...effects].map(([effect, n]) => [effect.replace(`.${name}@`, '@'), n])),
    breaches: [...failures.slice(0, 3), ...repair.breaches, ...breaches],
  };
}

/** Lets every consumer apply events in each lane. */
async function pulse({ system, bus }: FaultRig): Promise<void> {
  const events = new EventPulse(system, bus);
  await events.awaitStart();
  await events.stop(Date.now());
}

/** Waits until delivery has taken every open, and has published what it made of them. */
async function awaitHits({ system, bus }: FaultRig): Promise<void> {
  const { streams } = await jetstreamManager(bus.connection);
  const areTaken = async () => (await streams.info(`${bus.namespace}_hits`)).state.messages === 0;
  await until('all opens are taken', areTaken, withinMs, lookEveryMs);
  await awaitPublished(system, withinMs);
}

/** Lets everything in the stream of events grow too old, and gives it its age back. */
async function dropStored({ bus }: FaultRig): Promise<void> {
  const { streams } = await jetstreamManager(bus.connection);
  const name = `${bus.namespace}_events`;
  const { max_age, duplicate_window } = (await streams.info(name)).config;
  const age = nanos(keptMs);
  const isEmpty = async () => {
    // Again and again, since each publisher restores the settings once a minute.
    await streams.update(name, { max_age: age, duplicate_window: age });
    return (await streams.info(name)).state.messages === 0;
  };
  await until('the stream is empty', isEmpty, withinMs, 3 * keptMs);
  await streams.update(name, { max_age, duplicate_window });
}

/** Checks that the gap is reported, and repairs it by the command. */
async function repairGaps(rig: FaultRig, victim: Victim): Promise<Omit<CourseResult, 'effects'>> {
  const gaps = await countGaps(rig);
  const metric = await awaitMetric(rig, victim, gaps);
  const doctor = await command(rig, 'doctor');
  const { status, said } = await command(rig, 'events', 'rebuild', victim);
  const { repairs = [] } = (status === 0 ? JSON.parse(said) : {}) as {
    repairs?: { applied: Record<string, number> }[];
  };
  const repaired = repairs.flatMap(({ applied }) => Object.values(applied)).reduce((sum, n) => sum + n, 0);
  const left = { gaps: await countGaps(rig), metric: await awaitMetric(rig, victim, 0) };
  const breaches = breachesOf([
    [gaps === 0, 'no gap was detected'],
    [metric !== gaps, `the metric reports ${metric} of ${gaps} gaps`],
    [!doctor.said.includes(`events rebuild ${victim}`), 'the doctor does not name the repair'],
    [status !== 0, `the repair ended with status ${status}: ${said}`],
    [left.gaps + left.metric > 0, `${left.gaps} gaps are open after the repair, the metric reports ${left.metric}`],
  ]);
  return { gaps, repaired, breaches };
}

const countGaps = ({ system }: FaultRig): Promise<number> =>
  withDatabase(system, async (client) => {
    const counts = consumers.map((one) => `(select count(*) from ${one}.event_gap where resolved_at is null)`);
    const { rows } = await client.query<{ n: number }>(`select (${counts.join(' + ')})::int as n`);
    return rows[0]!.n;
  });

/** Waits until the metric has a value, since a process keeps what it read for 5 s. @returns its last value */
async function awaitMetric(rig: FaultRig, victim: Victim, value: number): Promise<number> {
  const hasValue = async () => (await readMetric(rig, victim)) === value;
  await until('the metric has its value', hasValue, metricWithinMs, lookEveryMs).catch(() => undefined);
  return await readMetric(rig, victim);
}

async function readMetric({ system }: FaultRig, victim: Victim): Promise<number> {
  const { healthPort } = system.alive(victim)[0]!.facts as { healthPort: number };
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  return Number(/^tidings_event_gaps(?:\{[^}]*\})? (.+)$/m.exec(text)?.[1]);
}

/** Runs a command of the operator, in a process of its own. @returns its status and standard output */
async function command({ system, buildDir }: FaultRig, ...words: string[]): Promise<{ status: number; said: string }> {
  const main = join(buildDir, 'apps/cli/src/main.js');
  const child = spawn(process.execPath, [main, ...words, '--json'], {
    env: { ...system.environment, PORT: new URL(system.url()).port },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += data.toString()));
  const status = await new Promise<number>((done) => child.on('close', (code) => done(code ?? -1)));
  return { status, said };
}

/** The result as a line. */
export const awayLine = ({ service, gaps, repaired, effects, lost, doubled, seconds }: AwayResult): string =>
  `away-48h: ${service} away for longer than the stream keeps, ${gaps} gaps detected, ${repaired} events repaired, ${effects} effects, lost ${lost}, doubled ${doubled}, ${seconds.toFixed(0)} s`;
