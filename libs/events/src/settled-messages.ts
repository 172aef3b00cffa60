import { isSent } from '#contracts';
import type { EventData, SettledOutcome } from '#contracts';
import { isByPosition, messageIdAt, uuidOf, wireId } from '#database';

export type SettledData = EventData<'messages.settled'>;

/** One message of a group as its reader sees it. */
export interface SettledMessage {
  position: number;
  subscriberUuid: string;
  outcome: SettledOutcome;
  /** The values of the subject's variables in their order; null if it has none. */
  subjectValues: readonly string[] | null;
}

/** One message of a group as its writer has it; ids as on the wire. */
export interface MessageToSettle {
  position: number;
  subscriberId: string;
  outcome: SettledOutcome;
  variant: number | null;
  /** The mailbox provider of the recipient, as metrics name it. */
  destination: string;
  simulated: boolean;
  subjectValues: readonly string[] | null;
}

const uuidBytes = 16;

/**
 * Builds the event of messages of one chunk that are recorded together.
 * @param messages at least one, each position once, in any order
 */
export function settledData(
  about: Pick<SettledData, 'sendId' | 'campaignId' | 'chunk' | 'at'>,
  messages: readonly MessageToSettle[],
): SettledData {
  const ordered = [...messages].sort((a, b) => a.position - b.position);
  const outcome = mostFrequent(ordered.map((message) => message.outcome));
  const subjectValues = ordered.flatMap((message) => (message.subjectValues ? [[...message.subjectValues]] : []));
  return {
    ...about,
    positions: rangesOf(ordered.map(({ position }) => position)),
    subscriberIds: Buffer.concat(ordered.map(({ subscriberId }) => bytesOf(subscriberId))).toString('base64'),
    outcome,
    exceptions: ordered.flatMap((one) =>
      one.outcome === outcome ? [] : [{ position: one.position, outcome: one.outcome }],
    ),
    counts: countsOf(ordered),
    ...(subjectValues.length > 0 && { subjectValues }),
  };
}

/**
 * Reads the messages of a group, in the order of their positions.
 * @throws Error if positions, subscribers and subjects are not equally many, or if the send has no ids by position
 */
export function settledMessages(data: SettledData): SettledMessage[] {
  const { sendId, positions, outcome, exceptions, subjectValues = null } = data;
  if (!isByPosition(uuidOf('send', sendId) ?? '')) throw new Error(`the messages of ${sendId} have no ids by position`);
  const hex = Buffer.from(data.subscriberIds, 'base64').toString('hex');
  const others = new Map(exceptions.map((one) => [one.position, one.outcome]));
  const places = positions.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n));
  if (hex.length !== places.length * uuidBytes * 2)
    throw new Error(`messages.settled has ${places.length} positions, and subscriberIds of ${hex.length / 2} bytes`);
  if (subjectValues && subjectValues.length !== places.length)
    throw new Error(`messages.settled has ${places.length} positions, and ${subjectValues.length} subjectValues`);
  return places.map((position, n) => ({
    position,
    subscriberUuid: uuidAt(hex, n),
    outcome: others.get(position) ?? outcome,
    subjectValues: subjectValues?.[n] ?? null,
  }));
}

/** How many messages a group has, by the length of its subscribers' ids in base64. */
export const groupSize = ({ subscriberIds }: Pick<SettledData, 'subscriberIds'>): number =>
  Math.floor((subscriberIds.length * 3) / 4 / uuidBytes);

/** The stored id of a message of a group. */
export const settledMessageUuid = ({ sendId, chunk }: SettledData, position: number): string =>
  messageIdAt(uuidOf('send', sendId) ?? '', chunk, position);

function bytesOf(subscriberId: string): Buffer {
  const uuid = uuidOf('sub', subscriberId);
  if (uuid === null) throw new Error(`"${subscriberId}" is no id of a subscriber`);
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

function uuidAt(hex: string, n: number): string {
  const at = n * uuidBytes * 2;
  return `${hex.slice(at, at + 8)}-${hex.slice(at + 8, at + 12)}-${hex.slice(at + 12, at + 16)}-${hex.slice(at + 16, at + 20)}-${hex.slice(at + 20, at + 32)}`;
}

function rangesOf(positions: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const position of positions) {
    const last = ranges.at(-1);
    if (last?.[1] === position) throw new Error(`position ${position} is twice in a group`);
    if (last && last[1] === position - 1) last[1] = position;
    else ranges.push([position, position]);
  }
  return ranges;
}

function mostFrequent(outcomes: readonly SettledOutcome[]): SettledOutcome {
  const times = new Map<SettledOutcome, number>();
  for (const outcome of outcomes) times.set(outcome, (times.get(outcome) ?? 0) + 1);
  const [first] = [...times].sort(([, a], [, b]) => b - a);
  if (!first) throw new Error('a group of results has at least one message');
  return first[0];
}

function countsOf(messages: readonly MessageToSettle[]): SettledData['counts'] {
  const counts = new Map<string, SettledData['counts'][number]>();
  for (const { outcome, variant, destination, simulated } of messages) {
    if (!isSent(outcome)) continue;
    const key = `${variant} ${destination} ${simulated}`;
    const count = counts.get(key) ?? { variant, destination, simulated, sent: 0, delivered: 0 };
    counts.set(key, count);
    count.sent += 1;
    if (outcome === 'DELIVERED') count.delivered += 1;
  }
  return [...counts.values()];
}

/** The kinds of history entries that follow from a message; the number is the highest bit of the entry's low 32. */
const entryBit = { EMAIL_SENT: 0, EMAIL_RECEIVED: 0x8 } as const;

/**
 * The id of the history entry, or of the trigger event, that says that a message with an id by position was sent or
 * received: the id of the message, of whose lowest 32 bits the highest is set for EMAIL_RECEIVED.
 */
export function messageEntryId(messageUuid: string, type: keyof typeof entryBit): string {
  const digit = (Number.parseInt(messageUuid[28]!, 16) | entryBit[type]).toString(16);
  return wireId('evt', `${messageUuid.slice(0, 28)}${digit}${messageUuid.slice(29)}`);
}
