import { setTimeout as pause } from 'node:timers/promises';
import { until } from '#testing';
import { awaitEnd, listUnsent, prepareCampaign, schedule } from './campaign.js';
import type { CampaignRun } from './campaign.js';
import { breachesOf, compareEffects, readEffects, settled } from '../check/effects.js';
import type { Effects, StruckResult } from '../check/effects.js';
import { killAndStart } from '../inject/process-fault.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import { seeded } from '../rig/seeded-random.js';
import { RecipientLoad } from '../load/recipient-load.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { withDatabase } from '../rig/system-database.js';

/** Delivery relays, campaign consumes, subscriber does both. */
const victims = ['delivery', 'subscriber', 'campaign'] as const;
const killsEach = 10;
const recipients = 5_000;
/** Messages a second while processes are killed, and afterwards. */
const rates = { during: 40, after: 400 };
/** A lane's lease ends after 10 s, and messages in flight come again after 30 s. */
const settleMs = 120_000;

export interface EventsResult extends StruckResult {
  events: number;
}

/**
 * Kills the processes that hold the lanes of outbox publishers and consumers, 30 times in all. Meanwhile a campaign is
 * sent, opened and unsubscribed from. Then compares every effect with the events made.
 */
export async function runEvents(rig: FaultRig, seed: number): Promise<EventsResult> {
  const started = Date.now();
  const random = seeded(seed);
  const { system, bus, sink } = rig;
  const usualRate = sink.rate;
  const readers = new RecipientLoad(system, random);
  sink.onTaken = (email, raw) => readers.receive(email, raw);
  sink.rate = rates.during;
  const run = await prepareCampaign(bus, `events-${seed}`, recipients);
  await schedule(bus, run);
  await until('the first messages are opened', () => readers.opens.size > 20, 60_000);
  await Promise.all(victims.map((service) => killHolders(rig, service, random)));
  const failures = await readers.stop();
  sink.rate = rates.after;
  sink.onTaken = () => undefined;
  const progress = await awaitEnd(bus, run, settleMs);
  sink.rate = usualRate;
  const made = await madeOf(rig, run, readers);
  const { lost, doubled } = await settled(async () => compareEffects(made, await readEffects(system, run)), settleMs);
  const leftovers = await countLeftovers(rig);
  const broken = breachesOf([
    [progress.status !== 'SENT', `the campaign is ${progress.status}`],
    [lost > 0, `${lost} events lost`],
    [doubled > 0, `${doubled} effects doubled`],
    [leftovers > 0, `${leftovers} envelopes wait in an outbox, or events were put aside`],
  ]);
  return {
    kills: victims.length * killsEach,
    events: [...made].reduce((sum, [name, n]) => sum + (name.startsWith('campaign ') ? n : 0), 0),
    lost,
    doubled,
    seconds: (Date.now() - started) / 1000,
    breaches: [...failures.slice(0, 3), ...broken],
  };
}

/** Kills a service's process again and again, each time at a seeded moment after it took every lane. */
async function killHolders(rig: FaultRig, service: string, random: () => number): Promise<void> {
  for (let n = 0; n < killsEach; n++) {
    await pause(2_000 * random());
    const before = await readFences(rig, service);
    await killAndStart(rig.system, service, 0);
    await retryUntilAnswered(
      `lanes of the new ${service}`,
      async () => {
        const now = await readFences(rig, service);
        if ([...before].some(([lane, fence]) => now.get(lane)! <= fence)) throw new Error('not all are held');
      },
      60_000,
    );
  }
}

const readFences = ({ system }: FaultRig, service: string): Promise<Map<string, bigint>> =>
  withDatabase(system, async (client) => {
    const { rows } = await client.query<{ lane: string; fence: string }>(
      `select role || '/' || lane as lane, fence::text from ${service}.lane_lease`,
    );
    return new Map(rows.map(({ lane, fence }) => [lane, BigInt(fence)]));
  });

/** What must have come of everything that happened. */
async function madeOf({ bus }: FaultRig, run: CampaignRun, readers: RecipientLoad): Promise<Effects> {
  const unsent = await listUnsent(bus, run);
  const sent = run.recipients.filter((email) => !unsent.has(email));
  const opens = [...readers.opens.values()].reduce((sum, n) => sum + n, 0);
  return new Map([
    ...sent.flatMap((email): [string, number][] => [
      [`${email} EMAIL_SENT`, 1],
      [`${email} EMAIL_RECEIVED`, 1],
      [`${email} emails counted`, 1],
    ]),
    ...[...readers.opens].flatMap(([email, n]): [string, number][] => [
      [`${email} EMAIL_OPENED`, n],
      [`${email} opens counted`, n],
    ]),
    ['campaign sent', sent.length],
    ['campaign delivered', sent.length],
    ['campaign opened', opens],
    ['campaign unsubscribed', readers.unsubscribed.size],
  ]);
}

const countLeftovers = ({ system }: FaultRig): Promise<number> =>
  withDatabase(system, async (client) => {
    const counts = victims.map(
      (schema) =>
        `(select count(*) from ${schema}.outbox where published_at is null) + (select count(*) from ${schema}.dead_letter)`,
    );
    const { rows } = await client.query<{ n: number }>(`select (${counts.join(' + ')})::int as n`);
    return rows[0]!.n;
  });

/** The result as a line. */
export const eventsLine = ({ kills, events, lost, doubled, seconds }: EventsResult): string =>
  `events: ${kills} kills of relays and consumers, ${events} events, lost ${lost}, doubled ${doubled}, ${seconds.toFixed(0)} s`;
