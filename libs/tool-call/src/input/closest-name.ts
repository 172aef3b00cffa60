/** How many letters to add, drop, change or swap with their neighbour until `a` is `b`. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

const bare = (name: string) => name.toLowerCase().replaceAll('_', '');

/** The candidate that `name` was most likely meant to be, or null when none is near (a third of its letters may differ). */
export function closestName(name: string, candidates: readonly string[]): string | null {
  const wanted = bare(name).slice(0, 64);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const d = editDistance(wanted, bare(candidate));
    if (d < bestDistance) [best, bestDistance] = [candidate, d];
  }
  return best;
}
