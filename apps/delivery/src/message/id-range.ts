/**
 * The least and the greatest of some texts: uuids, or days as YYYY-MM-DD. Conditions on both let the planner leave out
 * the other partitions, which it opens one by one otherwise. Both are null without a text, and then match nothing.
 */
export function rangeOf(texts: readonly string[]): [string | null, string | null] {
  let [least, greatest]: [string | null, string | null] = [null, null];
  for (const text of texts) {
    if (least === null || text < least) least = text;
    if (greatest === null || text > greatest) greatest = text;
  }
  return [least, greatest];
}
