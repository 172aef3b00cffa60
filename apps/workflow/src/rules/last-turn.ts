import type { Run } from './run.js';

/**
 * The organization whose turn was last in a claim of runs, if organizations take turns in the order of their ids.
 * @param claimed in any order
 * @param after the organization whose turn was last before the claim; null: there was none
 */
export function lastTurn(claimed: readonly Pick<Run, 'organizationId'>[], after: string | null): string | null {
  const ids = claimed.map(({ organizationId }) => organizationId).toSorted();
  // Organizations up to `after` have their turns when those behind it have had theirs.
  return ids.findLast((id) => after !== null && id <= after) ?? ids.at(-1) ?? after;
}
