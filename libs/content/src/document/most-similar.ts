/** Comparing 5 MB of them would block other calls. */
const COMPARED_MAX = 200;

interface Pairs {
  counts: Map<string, number>;
  total: number;
}

const pairsOf = (text: string): Pairs => {
  const counts = new Map<string, number>();
  const plain = ` ${text.slice(0, COMPARED_MAX).toLowerCase()} `;
  for (let at = 0; at + 1 < plain.length; at += 1) {
    const pair = plain.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: plain.length - 1 };
};

/** How alike two texts are, 0 to 1: the share of letter pairs they have in common (Sørensen–Dice). */
const likeness = (one: Pairs, other: Pairs): number => {
  let common = 0;
  for (const [pair, count] of one.counts) common += Math.min(count, other.counts.get(pair) ?? 0);
  return (2 * common) / (one.total + other.total);
};

/** The candidate most like `wanted`, by their first 200 characters; null where none is alike to the given degree. */
export const mostSimilar = (wanted: string, candidates: Iterable<string>, likenessMin: number): string | null => {
  const wantedPairs = pairsOf(wanted);
  let best: string | null = null;
  let bestScore = likenessMin;
  for (const candidate of candidates) {
    const score = likeness(wantedPairs, pairsOf(candidate));
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
};
