import { deadLetterRequests } from '#contracts';
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
  return [found, silent.length > 0 ? of.fail(`no answer from ${silent.join(', ')}`, remedy) : of.ok('all five answer')];
}
