import type { Hit } from '#contracts';

/** The inbox keeps 72 hours, and the stream of hits 48. */
const ageMaxMs = 60 * 3600 * 1000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * What the inbox remembers a hit by, the same at a redelivery: a UUIDv7 of the hit's own time and the random part of
 * its id, since the inbox is cut into days by id. Null for what cannot be remembered: no id, or none of these days.
 */
export function hitKey({ hitId, at }: Pick<Hit, 'hitId' | 'at'>, now: Date): string | null {
  const ms = Date.parse(at);
  if (!uuid.test(hitId) || !(Math.abs(now.getTime() - ms) <= ageMaxMs)) return null;
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hitId.slice(15, 18)}-8${hitId.slice(20)}`.toLowerCase();
}
