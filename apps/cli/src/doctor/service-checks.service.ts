import { checkStoreRoom, eventStream, hitStream, storeShareMax } from '#bus';
import type { Bus } from '#bus';
import { deadLetterRequests, replicaRequests } from '#contracts';
import type { Service } from '#contracts';
import type { Session } from '../session.js';
import { findingsOf } from './finding.js';
import type { Finding } from './finding.js';

const services: readonly Service[] = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'];

export async function checkServices(session: Session, isSystemKnown: boolean): Promise<Finding[]> {
  const nats = findingsOf('NATS');
  if (!isSystemKnown) {
    return [
      nats.warn('not checked: no system runs here', 'Start it with `npm start`, or set NATS_URL, and run this again.'),
    ];
  }
  let bus: Awaited<ReturnType<Session['bus']>>;
  try {
    bus = await session.bus();
  } catch (error) {
    return [nats.fail((error as Error).message, 'Start the system, or see that NATS_URL leads to its NATS.')];
  }
  const info = bus.connection.info;
  const found = info?.jetstream
    ? nats.ok(`version ${info.version}, JetStream`)
    : nats.fail('it has no JetStream', 'Start it with `--jetstream`.');
  const silent: string[] = [];
  for (const name of services) {
    const requests = bus.clientIn(bus.home, deadLetterRequests(name));
    await requests.list_dead_letters({ limit: 1 }, session.caller()).catch(() => silent.push(name));
  }
  const of = findingsOf('services');
  const remedy = 'See the log of what does not answer; `npm start` starts again what ended.';
  const answer = silent.length > 0 ? of.fail(`no answer from ${silent.join(', ')}`, remedy) : of.ok('all five answer');
  return [found, ...(await checkStore(bus)), answer, ...(await checkEvents(bus, session))];
}

async function checkStore(bus: Bus): Promise<Finding[]> {
  const of = findingsOf('NATS store');
  // Without JetStream, which is reported above, there is none.
  const room = await checkStoreRoom(bus).catch(() => null);
  if (!room) return [];
  const [gigabytes, share] = [(room.bytes / 1e9).toFixed(1), storeShareMax * 100];
  return [
    room.isEnough
      ? of.ok(`the limits of all streams, ${gigabytes} GB, are within ${share} % of it`)
      : of.warn(
          `the limits of all streams, ${gigabytes} GB, are more than ${share} % of it`,
          'Enlarge the volume of NATS and max_file_store, or lower EVENTS_MAX_MB and HITS_MAX_MB. See docs/guides/monitoring.md#the-store-of-nats.',
        ),
  ];
}

/** From when on events wait longer than publishing them takes, seconds. */
const outboxLateSeconds = 60;
const fullShare = 0.8;

async function checkEvents(bus: Bus, session: Session): Promise<Finding[]> {
  const findings: Finding[] = [];
  const of = findingsOf('events');
  for (const name of services) {
    const requests = bus.clientIn(bus.home, replicaRequests(name));
    // A service that does not answer is reported above; one of an older version has nothing to report.
    const state = await requests.get_event_state({ limit: 1000 }, session.caller()).catch(() => null);
    const { features } = await requests.list_features({}, session.caller()).catch(() => ({ features: [] }));
    const sources = [...new Set(state?.gaps.map(({ source }) => source))].join(', ');
    if (state && state.gaps.length > 0)
      findings.push(
        of.fail(
          `${name} missed events of ${sources} (${state.gaps.length} gaps): the stream no longer had them`,
          `Run: npm run tidings -- events rebuild ${name}. See docs/guides/runbooks.md#tidingseventgap.`,
        ),
      );
    for (const { consumer, since } of state?.behind ?? [])
      findings.push(
        of.warn(
          `the outbox of ${name} keeps the events since ${since}, since ${consumer} has not applied them`,
          'Start that service again, or repair its gaps. They are kept for 30 days at most.',
        ),
      );
    if (state && state.outbox.oldestSeconds > outboxLateSeconds)
      findings.push(
        of.warn(
          `${state.outbox.batches} batches of ${name} wait in the outbox, the oldest for ${Math.round(state.outbox.oldestSeconds)} s`,
          'NATS is away or its stream is full; nothing is lost. See docs/guides/runbooks.md#tidingsoutboxdelayed.',
        ),
      );
    for (const feature of features.filter(({ state }) => state !== 'ENABLED'))
      findings.push(of.warn(`the format ${feature.name} of ${name} is ${feature.state.toLowerCase()}`, formatRemedy));
  }
  for (const [name, stream] of [['events', eventStream(bus)] as const, ['hits', hitStream(bus)] as const]) {
    const share = await stream.fullness().catch(() => null);
    if (share !== null && share > fullShare)
      findings.push(
        of.warn(
          `the stream of ${name} is ${Math.round(share * 100)} % full`,
          'Raise EVENTS_MAX_MB or HITS_MAX_MB, or see which service does not apply its events.',
        ),
      );
  }
  return findings.length > 0 ? findings : [of.ok('none is missing or late')];
}

const formatRemedy = 'It is enabled once all replicas run this version. Nothing else depends on it.';
