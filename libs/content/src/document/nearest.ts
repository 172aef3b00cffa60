const pairs = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  const plain = ` ${text.toLowerCase()} `;
  for (let at = 0; at + 1 < plain.length; at += 1) {
    const pair = plain.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
};

/** How alike two texts are, 0 to 1: the share of letter pairs they have in common (Sørensen–Dice). */
export const likeness = (one: string, other: string): number => {
  const [ones, others] = [pairs(one), pairs(other)];
  let common = 0;
  for (const [pair, count] of ones) common += Math.min(count, others.get(pair) ?? 0);
  return (2 * common) / (one.length + other.length + 2);
};

/** The candidate most like `wanted`; null where none is alike to the given degree. */
export const nearest = (wanted: string, candidates: Iterable<string>, likenessMin: number): string | null => {
  let best: string | null = null;
  let bestScore = likenessMin;
  for (const candidate of candidates) {
    const score = likeness(wanted, candidate);
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
};
