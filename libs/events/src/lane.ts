/** Lanes keep order: events of one subscriber always take the same one. */
export const laneCount = 8;

/** The lane of a subscriber's events (or of any other thing whose events must keep their order): 32-bit FNV-1a. */
export function laneOf(organizationId: string, key: string): number {
  let hash = 0x811c9dc5;
  for (const letter of `${organizationId}/${key}`) {
    hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  }
  return (hash >>> 0) % laneCount;
}

/** The name of a lane's consumer in the stream, under the fence of the one who reads it. */
export const durableOf = (service: string, { lane, fence }: { lane: number; fence: string }): string =>
  `${service}_${lane}_${fence}`;

/** Whether a consumer belongs to a fence of the lane before this one. */
export function isOlderDurable(durable: string, service: string, { lane, fence }: { lane: number; fence: string }) {
  const [, number] = /_(\d+)$/.exec(durable) ?? [];
  return (
    number !== undefined && durable === durableOf(service, { lane, fence: number }) && BigInt(number) < BigInt(fence)
  );
}

/** Header of a message: its number among those of its source and lane, one more than that of the message before it. */
export const numberHeader = 'Tidings-Number';

/** Two messages that were applied one after the other, between which others are missing. */
export interface NumberGap {
  afterNumber: number;
  beforeNumber: number;
}

/**
 * Continues the last numbers by source with a message. A number that does not grow is no gap: the message was published
 * again, or its source was restored from a backup.
 * @param number NaN for a message of a program that does not number
 */
export function continueNumbers(
  numbers: Readonly<Record<string, number>>,
  source: string,
  number: number,
): { numbers: Record<string, number>; gap: NumberGap | null } {
  if (!Number.isSafeInteger(number)) return { numbers: { ...numbers }, gap: null };
  const last = numbers[source];
  const gap = last !== undefined && number > last + 1 ? { afterNumber: last, beforeNumber: number } : null;
  return { numbers: { ...numbers, [source]: number }, gap };
}

/** Whether each of these services has a consumer of each lane among these. */
export function haveAllLanes(services: readonly string[], durables: ReadonlySet<string>): boolean {
  const lanes = new Set([...durables].map((durable) => durable.slice(0, durable.lastIndexOf('_'))));
  const wanted = services.flatMap((service) => Array.from({ length: laneCount }, (_, lane) => `${service}_${lane}`));
  return wanted.every((lane) => lanes.has(lane));
}
