/** What one organization got: `got[t]` until `t` seconds after the beginning. */
export interface Course {
  organizationId: string;
  /** Seconds after the beginning: from then on it had work that waited. */
  startedAt: number;
  endedAt: number;
  got: readonly number[];
}

export interface Extremes {
  /** Organizations that had work left during the second that ends here. */
  waiting: number;
  least: number;
  most: number;
}

/** The least and the most that organizations got of what they waited for between two whole seconds. */
export function extremes(courses: readonly Course[], from: number, to: number): Extremes {
  let [waiting, least, most] = [0, Infinity, 0];
  for (const { startedAt, endedAt, got } of courses) {
    if (startedAt > from || endedAt <= to - 1) continue;
    const share = got[to]! - got[from]!;
    waiting += 1;
    least = Math.min(least, share);
    most = Math.max(most, share);
  }
  return { waiting, least, most };
}

/**
 * The worst (n + 1) / (m + 1) of two organizations that both waited from the start of the later one on, n and m in units
 * of what is claimed at one time, at each whole second.
 */
export function worstRatio(courses: readonly Course[], unit: number): number {
  const starts = new Set(courses.map(({ startedAt }) => Math.ceil(startedAt)));
  const last = Math.max(...courses.map(({ got }) => got.length)) - 1;
  let worst = 1;
  for (const start of starts) {
    for (let to = start + 1; to <= last; to++) {
      const { waiting, least, most } = extremes(courses, start, to);
      if (waiting > 1) worst = Math.max(worst, (most + unit) / (least + unit));
    }
  }
  return worst;
}
