import { setTimeout as pause } from 'node:timers/promises';
import { serviceCaller } from '#bus';
import { subscriberQueryTools } from '#contracts';
import { uuidOf } from '#database';
import { until } from '#testing';
import { awaitEnd, listUnsent, prepareCampaign, schedule } from './campaign.js';
import type { CampaignRun } from './campaign.js';
import { breachesOf, compareEffects, readEffects, settled } from '../check/effects.js';
import type { Effects, StruckResult } from '../check/effects.js';
import { killAndStart } from '../inject/process-fault.js';
import { liftRateLimit } from '../load/gateway-client.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import { seeded } from '../rig/seeded-random.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { withDatabase } from '../rig/system-database.js';
import { WriteLoad } from '../load/write-load.js';

const kills = 3;
const recipients = 1_000;
/** Events in flight when their consumer died are delivered again after 30 s. */
const settleMs = 120_000;

export interface ReplicasResult extends StruckResult {
  answered: number;
  /** Effects of the calls, and of the events of the campaign. */
  effects: number;
}

/**
 * Two subscriber processes under load, one of which is killed again and again: every answered write must be there once,
 * and every event of a campaign that goes out meanwhile must be applied once.
 */
export async function runReplicas(rig: FaultRig, seed: number): Promise<ReplicasResult> {
  const started = Date.now();
  const random = seeded(seed);
  const { system, bus } = rig;
  const { organizationId } = system;
  await liftRateLimit(bus, organizationId);
  const spare = await system.add('subscriber');
  const run = await prepareCampaign(bus, `replicas-${seed}`, recipients);
  const writers = new WriteLoad(system);
  await schedule(bus, run);
  for (let n = 0; n < kills; n++) {
    const before = writers.answered;
    await until('calls are answered', () => writers.answered > before + 50 || writers.failures.length > 0, 120_000);
    await pause(500 * random());
    await killAndStart(system, 'subscriber', 2_000 * random());
  }
  await writers.stop();
  const progress = await awaitEnd(bus, run, settleMs);
  const made = await madeOf(rig, run, writers);
  const { lost, doubled } = await settled(() => compared(rig, { run, writers, made }), settleMs);
  const counted = await countsOf(rig, organizationId);
  await system.end(system.alive('subscriber').find((one) => one !== spare) ?? spare);
  const broken = breachesOf([
    [progress.status !== 'SENT', `the campaign is ${progress.status}`],
    [lost > 0, `${lost} effects lost`],
    [doubled > 0, `${doubled} effects doubled`],
    [counted.kept !== counted.rows, `${counted.kept} people are counted, ${counted.rows} are there`],
  ]);
  return {
    kills,
    answered: writers.answered,
    lost,
    doubled,
    effects: [...made.values()].reduce((sum, n) => sum + n, 0),
    seconds: (Date.now() - started) / 1000,
    breaches: [...writers.failures.slice(0, 3), ...broken],
  };
}

/** What must have come of every answered call, and of every message that was sent. */
async function madeOf({ bus }: FaultRig, run: CampaignRun, { written }: WriteLoad): Promise<Effects> {
  const unsent = await listUnsent(bus, run);
  const sent = run.recipients.filter((email) => !unsent.has(email));
  const ofMessage = (email: string): [string, number][] =>
    ['EMAIL_SENT', 'EMAIL_RECEIVED', 'emails counted'].map((name) => [`${email} ${name}`, 1]);
  return new Map([...written, ...sent.flatMap(ofMessage)]);
}

/** Compares the results of the calls and of the campaign with those expected. */
async function compared(
  { system }: FaultRig,
  { run, writers, made }: { run: CampaignRun; writers: WriteLoad; made: Effects },
): Promise<ReturnType<typeof compareEffects>> {
  const ofCampaign = [...(await readEffects(system, run))].filter(([name]) => !name.startsWith('campaign '));
  return compareEffects(made, new Map([...ofCampaign, ...(await readWritten(system, writers.domain))]));
}

/** What there is of the people of the writers, in the words of what they wrote. */
const readWritten = (system: FaultRig['system'], domain: string): Promise<Effects> =>
  withDatabase(system, async (client) => {
    const { rows } = await client.query<{ name: string; n: number }>(
      `with person as (select organization_id, subscriber_id, email from subscriber.subscriber where email like '%@' || $1)
       select email || ' there' as name, count(*)::int as n from person group by 1
       union all select email || ' ' || type, count(*)::int from subscriber.subscriber_event
         join person using (organization_id, subscriber_id) group by 1
       union all select email || ' revenue', revenue::int from subscriber.subscriber_activity
         join person using (organization_id, subscriber_id)`,
      [domain],
    );
    return new Map(rows.map(({ name, n }) => [name, n]));
  });

/** The count that the service keeps, and the rows. */
async function countsOf({ system, bus }: FaultRig, organizationId: string): Promise<{ kept: number; rows: number }> {
  const query = bus.client(subscriberQueryTools);
  const ask = () => query.count_subscribers({}, serviceCaller(organizationId, 'rig'));
  const { total } = await retryUntilAnswered('count', ask, 30_000);
  return await withDatabase(system, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      'select count(*)::int as n from subscriber.subscriber where organization_id = $1',
      [uuidOf('org', organizationId)],
    );
    return { kept: total, rows: rows[0]!.n };
  });
}

/** The result as a line. */
export const replicasLine = ({ kills, answered, effects, lost, doubled, seconds }: ReplicasResult): string =>
  `replicas: ${kills} kills of one of two subscriber processes, ${answered} calls answered, ${effects} effects, lost ${lost}, doubled ${doubled}, ${seconds.toFixed(0)} s`;
