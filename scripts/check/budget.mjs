/**
 * The number of violations allowed by rule and area. It only shrinks: no violation is added, and those mended are deducted.
 * @typedef {Record<string, Record<string, number>>} Budget
 * @typedef {{ rule: string, area: string }} Counted
 */

/** @param {Counted[]} violations @returns {Budget} sorted by rule and area */
export function countByArea(violations) {
  /** @type {Budget} */
  const counts = {};
  for (const { rule, area } of [...violations].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))) {
    const areas = (counts[rule] ??= {});
    areas[area] = (areas[area] ?? 0) + 1;
  }
  return counts;
}
const keyOf = (/** @type {Counted} */ { rule, area }) => `${rule} ${area}`;

/**
 * The areas with more violations of a rule than the budget allows.
 * @param {Budget} counts @param {Budget} budget
 */
export const overBudget = (counts, budget) =>
  Object.entries(counts).flatMap(([rule, areas]) =>
    Object.entries(areas)
      .map(([area, count]) => ({ rule, area, count, allowed: budget[rule]?.[area] ?? 0 }))
      .filter(({ count, allowed }) => count > allowed),
  );

/**
 * The budget lowered to the present counts; no number grows.
 * @param {Budget} counts @param {Budget} budget @param {(area: string) => boolean} isChecked areas that were not stay
 * @returns {Budget}
 */
export function lowered(counts, budget, isChecked) {
  const rules = Object.entries(budget).map(([rule, areas]) => {
    const left = Object.entries(areas)
      .map(([area, allowed]) => [area, isChecked(area) ? Math.min(allowed, counts[rule]?.[area] ?? 0) : allowed])
      .filter(([, allowed]) => allowed !== 0);
    return [rule, Object.fromEntries(left)];
  });
  return Object.fromEntries(rules.filter(([, areas]) => Object.keys(areas).length > 0));
}
