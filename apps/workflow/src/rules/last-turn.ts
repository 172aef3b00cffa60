import type { Run } from './run.js';

/**
 * The organization whose turn was last in a claim of runs, if organizations take turns in the order of their ids. The
 * last one of a full claim may not have got its share, so it is the next again.
 * @param claimed in any order
 * @param limits `most` runs are a full claim; it began after the organization `after`; null: at the first one
 */
export function lastTurn(
  claimed: readonly Pick<Run, 'organizationId'>[],
  { most, after }: { most: number; after: string | null },
): string | null {
  const ids = [...new Set(claimed.map(({ organizationId }) => organizationId))].sort();
  const begin = after === null ? 0 : ids.findIndex((id) => id > after);
  // Organizations up to `after` have their turns when those behind it have had theirs.
  const inOrder = begin < 0 ? ids : [...ids.slice(begin), ...ids.slice(0, begin)];
  const isCut = claimed.length >= most && inOrder.length > 1;
  return inOrder.at(isCut ? -2 : -1) ?? after;
}
