import type { Bus, Client } from '#bus';
import { eventRepairRequests } from '#contracts';
import type { EventGapRow, MissedStart, Service } from '#contracts';
import { exitStatus, UsageError } from './command-error.js';
import { jsonOption } from './command.js';
import type { Command } from './command.js';
import { projectionOf } from './projections.js';
import type { Session } from './session.js';
import { tableLines } from './terminal.js';

const consumers: readonly Service[] = ['subscriber', 'campaign', 'workflow', 'delivery'];
type Requests = Client<ReturnType<typeof eventRepairRequests>>;

interface ServiceGap extends EventGapRow {
  service: Service;
}

const stateOf = ({ resolvedAt, missing }: EventGapRow): string => {
  const lost = missing ? `, ${missing} messages not found` : '';
  if (resolvedAt === null) return `open${lost}`;
  return missing === null ? `resolved ${resolvedAt}` : `repaired ${resolvedAt}${lost}`;
};

const gaps: Command = {
  words: ['events', 'gaps'],
  about: 'Lists the events that services missed since the stream no longer had them, and whether that is repaired.',
  options: { json: jsonOption },
  run: async (typed, session) => {
    const bus = await session.bus();
    const found: ServiceGap[] = [];
    for (const service of consumers) {
      const page = await requestsOf(bus, service).list_event_gaps({ limit: 1000 }, session.caller());
      found.push(...page.gaps.map((gap) => ({ service, ...gap })));
    }
    const open = found.filter(({ resolvedAt }) => resolvedAt === null);
    const rows = found.map(({ service, source, lane, afterNumber, beforeNumber, detectedAt, ...gap }) => [
      ...[service, source, String(lane), `${afterNumber + 1} to ${beforeNumber - 1}`, detectedAt],
      stateOf({ source, lane, afterNumber, beforeNumber, detectedAt, ...gap }),
    ]);
    session.show(typed, { gaps: found }, () => [
      ...(rows.length > 0 ? tableLines([['SERVICE', 'SOURCE', 'LANE', 'MESSAGES', 'FOUND AT', 'STATE'], ...rows]) : []),
      open.length > 0 ? `${open.length} open. Repair them with: events rebuild SERVICE` : 'No gap is open.',
    ]);
    return open.length > 0 ? exitStatus.failed : exitStatus.done;
  },
};

/** What a repair of the events of one source did. */
interface Repair {
  source: string;
  gaps: number;
  applied: Record<string, number>;
  deadLetters: number;
  /** Messages that the outbox of the source no longer has. */
  missing: number;
  starts: MissedStart[];
}

const rebuild: Command = {
  words: ['events', 'rebuild'],
  parameters: ['SERVICE'],
  about:
    'Applies the events that a service missed, from the outboxes of the services that published them. It may be interrupted and repeated, also while mail is sent.',
  options: {
    from: {
      value: 'INSTANT',
      about:
        'leaves out what is older, and ends the gaps although messages were not found, such as 2026-11-27T08:00:00Z',
    },
    json: jsonOption,
  },
  run: async (typed, session) => {
    const service = consumers.find((name) => name === typed.parameters[0]);
    if (!service) throw new UsageError(`SERVICE is one of ${consumers.join(', ')}, not "${typed.parameters[0]}".`);
    const from = instantTyped(typed.text('from'));
    const requests = requestsOf(await session.bus(), service);
    const { gaps: all } = await requests.list_event_gaps({ limit: 1000 }, session.caller());
    const open = all.filter(({ resolvedAt }) => resolvedAt === null);
    const repairs: Repair[] = [];
    for (const source of new Set(open.map((gap) => gap.source))) {
      const ofSource = open.filter((gap) => gap.source === source);
      repairs.push(await repair({ requests, session, source, from }, ofSource));
    }
    session.show(typed, { service, repairs }, () => linesOf(service, repairs));
    const isWhole = from !== null || repairs.every(({ missing }) => missing === 0);
    return isWhole && repairs.every(({ deadLetters }) => deadLetters === 0) ? exitStatus.done : exitStatus.partly;
  },
};

interface RepairOptions {
  requests: Requests;
  session: Session;
  source: string;
  from: string | null;
}

async function repair(options: RepairOptions, open: readonly EventGapRow[]): Promise<Repair> {
  const { requests, session, source, from } = options;
  const applied: Record<string, number> = {};
  const found = new Map<number, Set<number>>();
  let deadLetters = 0;
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const part: Awaited<ReturnType<Requests['apply_missed_events']>> = await requests.apply_missed_events(
      { source, after, from },
      session.caller(),
    );
    for (const { event, count } of part.applied) applied[event] = (applied[event] ?? 0) + count;
    for (const { lane, numbers } of part.found) found.set(lane, new Set([...(found.get(lane) ?? []), ...numbers]));
    deadLetters += part.deadLetters;
    after = part.next;
  }
  // Before the gaps end, since they say what was missed: a repeated command lists the same again.
  const starts = await listStarts(options);
  const counted = open.map((gap) => ({ ...gap, missing: missingOf(gap, found) }));
  await requests.conclude_event_repair(
    {
      source,
      gaps: counted.map(({ lane, afterNumber, missing }) => ({ lane, afterNumber, missing })),
      isResolved: from !== null,
    },
    session.caller(),
  );
  const missing = counted.reduce((sum, gap) => sum + gap.missing, 0);
  return { source, gaps: open.length, applied, deadLetters, missing, starts };
}

async function listStarts({ requests, session, source, from }: RepairOptions): Promise<MissedStart[]> {
  const starts: MissedStart[] = [];
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const part: Awaited<ReturnType<Requests['list_missed_starts']>> = await requests.list_missed_starts(
      { source, after, from },
      session.caller(),
    );
    starts.push(...part.starts);
    after = part.next;
  }
  return starts;
}

function missingOf({ lane, afterNumber, beforeNumber }: EventGapRow, found: ReadonlyMap<number, ReadonlySet<number>>) {
  const numbers = [...(found.get(lane) ?? [])].filter((number) => number > afterNumber && number < beforeNumber);
  return beforeNumber - afterNumber - 1 - numbers.length;
}

function linesOf(service: Service, repairs: readonly Repair[]): string[] {
  if (repairs.length === 0) return [`${service} misses no events.`];
  const rows = repairs.flatMap(({ source, applied }) =>
    Object.entries(applied).map(([event, n]) => [source, event, String(n), projectionOf(service, event) ?? '-']),
  );
  return [
    ...(rows.length > 0 ? tableLines([['SOURCE', 'EVENT', 'APPLIED', 'REPAIRED'], ...rows]) : []),
    ...startLines(repairs.flatMap(({ starts }) => starts)),
    ...repairs.flatMap(({ source, gaps: n, missing, deadLetters }) => [
      `${source}: ${n} gaps, ${missing === 0 ? 'all messages found' : `${missing} messages not found: too old, or no longer in its outbox`}.`,
      ...(deadLetters > 0 ? [`${deadLetters} events became dead letters: see dead-letters list.`] : []),
    ]),
  ];
}

/** Workflows with the number of their starts; with --json every subscriber. */
function startLines(starts: readonly MissedStart[]): string[] {
  if (starts.length === 0) return [];
  const counts = new Map<string, { row: string[]; count: number; first: string; last: string }>();
  for (const { organizationId, workflowId, event, at } of starts) {
    const key = `${workflowId} ${event}`;
    const one = counts.get(key) ?? { row: [organizationId, workflowId, event], count: 0, first: at, last: at };
    counts.set(key, {
      ...one,
      count: one.count + 1,
      first: at < one.first ? at : one.first,
      last: at > one.last ? at : one.last,
    });
  }
  const rows = [...counts.values()].map(({ row, count, first, last }) => [...row, String(count), first, last]);
  return [
    'Not started, since it would be too late (--json lists the subscribers):',
    ...tableLines([['ORGANIZATION', 'WORKFLOW', 'EVENT', 'TIMES', 'FIRST', 'LAST'], ...rows]),
  ];
}

/** @throws UsageError unless it is an instant */
function instantTyped(text: string | undefined): string | null {
  if (text === undefined) return null;
  const at = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(at.getTime()))
    throw new UsageError(
      `--from takes a day or an instant with a time zone, such as 2026-11-27T08:00:00Z, not "${text}".`,
    );
  return at.toISOString();
}

const requestsOf = (bus: Bus, service: Service): Requests => bus.clientIn(bus.home, eventRepairRequests(service));

export const eventCommands: readonly Command[] = [gaps, rebuild];
