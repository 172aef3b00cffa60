import { readFileSync } from 'node:fs';
import { newId, newUuid, uuidOf } from '#database';
import { laneCount } from '#events';
import { openedEvent, writeOpensSql } from '#testing';
import type { TestSystem } from '#testing';
import { breachesOf } from '../check/effects.js';
import type { StruckResult } from '../check/effects.js';
import { awaitApplied, awaitPublished, countDeadLetters } from '../check/lane-progress.js';
import { countOpens } from '../check/count-opens.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { withDatabase } from '../rig/system-database.js';

/** A batch of the outbox is 100 kB, of which the publisher packs about ten into a message of 1 MB. */
const batches = 1_050;
const eventsPerBatch = 50;
const bytesPerEvent = 2_000;
const batchesPerStatement = 50;
const publishedWithinMs = 120_000;
const appliedWithinMs = 300_000;

export interface BacklogResult extends StruckResult {
  service: string;
  events: number;
  megabytes: number;
  messages: number;
  /** The most memory that the process had, MB. */
  peakMegabytes: number;
}

/**
 * Stops a service, lets 100 MB of events wait for it in messages of about 1 MB, and starts it with a heap of 384 MB: it
 * must apply each event once and live.
 */
export async function runBacklog(rig: FaultRig, seed: number): Promise<BacklogResult> {
  const { system } = rig;
  const service = (['subscriber', 'campaign', 'workflow'] as const)[seed % 3]!;
  const campaignId = newId('cmp');
  const deadBefore = await countDeadLetters(system);
  await awaitApplied(system, appliedWithinMs);
  await system.end(system.alive(service)[0]!);
  const { megabytes, messages } = await writeBacklog(rig, campaignId);
  const startedAt = Date.now();
  const victim = await system.add(service);
  const applied = await awaitApplied(system, appliedWithinMs).then(
    () => null,
    (error: Error) => error.message,
  );
  const seconds = (Date.now() - startedAt) / 1000;
  const events = batches * eventsPerBatch;
  const surplus = (await countOpens(system, campaignId)) - events;
  const isAlive = victim.child.exitCode === null && victim.child.signalCode === null;
  const deadLetters = (await countDeadLetters(system)) - deadBefore;
  const [lost, doubled] = [Math.max(0, -surplus), Math.max(0, surplus)];
  return {
    kills: 1,
    service,
    events,
    megabytes,
    messages,
    lost,
    doubled,
    seconds,
    peakMegabytes: isAlive ? peakOf(victim.child.pid!) : 0,
    breaches: breachesOf([
      [!isAlive, `${service} ended with ${victim.child.exitCode ?? victim.child.signalCode}`],
      [applied !== null, `${service}: ${applied}`],
      [lost + doubled > 0, `${lost} events lost, ${doubled} counted twice`],
      [deadLetters > 0, `${deadLetters} events were put aside`],
      [megabytes / messages < 0.8, `${messages} messages carry ${megabytes.toFixed(0)} MB: they are not of about 1 MB`],
    ]),
  };
}

/** Writes the events, and waits until all are published. @returns their size, and the number of messages they came in */
async function writeBacklog(
  { system, bus }: FaultRig,
  campaignId: string,
): Promise<{ megabytes: number; messages: number }> {
  const organizationId = newId('org');
  const numbers = () => sumOfNumbers(system);
  const before = await numbers();
  let bytes = 0;
  await withDatabase(system, async (client) => {
    for (let from = 0; from < batches; from += batchesPerStatement) {
      const rows = Array.from({ length: batchesPerStatement }, () =>
        JSON.stringify(Array.from({ length: eventsPerBatch }, () => largeEvent(organizationId, campaignId))),
      );
      bytes += rows.reduce((sum, row) => sum + row.length, 0);
      // One lane after the other, so that messages are full.
      const lanes = rows.map(() => (from / batchesPerStatement) % laneCount);
      await client.query(writeOpensSql, [rows.map(() => newUuid()), lanes, uuidOf('org', organizationId), rows]);
    }
  });
  bus.broadcast('outbox.delivery', {});
  await awaitPublished(system, publishedWithinMs);
  return { megabytes: bytes / 1e6, messages: (await numbers()) - before };
}

const largeEvent = (organizationId: string, campaignId: string) =>
  openedEvent(organizationId, campaignId, { userAgent: 'x'.repeat(bytesPerEvent - 500) });

/** How many messages delivery has published: each has the next number of its lane. */
const sumOfNumbers = (system: TestSystem): Promise<number> =>
  withDatabase(system, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      `select coalesce(sum((position ->> 'number')::float8), 0)::int as n from delivery.lane_lease where role = 'relay'`,
    );
    return rows[0]!.n;
  });

/** The largest resident memory of a process so far, MB. */
const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

/** The result as a line. */
export const backlogLine = (result: BacklogResult): string =>
  `backlog: ${result.megabytes.toFixed(0)} MB in ${result.messages} messages for ${result.service} with a heap of 384 MB, ${result.events} events, lost ${result.lost}, doubled ${result.doubled}, at most ${result.peakMegabytes.toFixed(0)} MB of memory, applied after ${result.seconds.toFixed(1)} s`;
