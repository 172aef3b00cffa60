import type { Description } from './handlers.js';

/** A change of one place; `before` null: it is new, `after` null: it is gone. */
export interface Difference {
  path: string;
  before: unknown;
  after: unknown;
}

type Fact = NonNullable<Description['facts']>[number];

/** Cells of the comparison of two texts; beyond it their middle counts as one change. */
const cellsMax = 4_000_000;
/** Changes that a person can still read through; the last entry says how many more there are. */
const differencesMax = 200;

/** Compares two texts by lines. @returns runs of changed lines, each under the number of its first line: `text:12` */
export function textDifferences(path: string, before: string, after: string): Difference[] {
  if (before === after) return [];
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const shorter = Math.min(a.length, b.length) - start;
  while (end < shorter && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const inner = { before: a.slice(start, a.length - end), after: b.slice(start, b.length - end) };
  return changedRuns(inner).map((run) => ({
    path: `${path}:${start + run.at + 1}`,
    before: run.before.length > 0 ? run.before.join('\n') : null,
    after: run.after.length > 0 ? run.after.join('\n') : null,
  }));
}

/** Compares values by name. @returns those that differ as JSON, missing ones as null */
export function valueDifferences(before: Record<string, unknown>, after: Record<string, unknown>): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((path) => ({ path, before: before[path] ?? null, after: after[path] ?? null }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}

export function boundedDifferences(all: readonly Difference[]): Difference[] {
  if (all.length <= differencesMax) return [...all];
  const more = `${all.length - differencesMax} more changes`;
  return [...all.slice(0, differencesMax), { path: 'more', before: null, after: more }];
}

/** Facts of a call that a person can still read through, and characters of each. */
const factsMax = 100;
const factLengthMax = 2_000;

/** Shortens a list of facts, and long values, to what a person reads; the last one says how many more there are. */
export function boundedFacts(all: readonly Fact[]): Fact[] {
  const shown = (all.length <= factsMax ? all : all.slice(0, factsMax - 1)).map(({ label, value }) => ({
    label,
    value: value.length > factLengthMax ? `${value.slice(0, factLengthMax - 1)}…` : value,
  }));
  if (shown.length === all.length) return shown;
  return [...shown, { label: 'More', value: `and ${all.length - shown.length} more` }];
}

interface Run {
  /** Place of the run's first line in the new text. */
  at: number;
  before: string[];
  after: string[];
}

function changedRuns({ before: a, after: b }: { before: string[]; after: string[] }): Run[] {
  if (a.length * b.length > cellsMax) return [{ at: 0, before: a, after: b }];
  const width = b.length + 1;
  // Length of the longest common subsequence of the lines from i and from j on.
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const runs: Run[] = [];
  let open: Run | null = null;
  const run = (at: number): Run => {
    if (!open) runs.push((open = { at, before: [], after: [] }));
    return open;
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      open = null;
      i += 1;
      j += 1;
    } else if (j === b.length || (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      run(j).before.push(a[i++]!);
    } else {
      run(j).after.push(b[j++]!);
    }
  }
  return runs;
}
