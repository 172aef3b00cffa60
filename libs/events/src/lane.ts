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
