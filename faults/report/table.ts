import type { RunResult } from '../rig/fault-rig.js';

/** The results of all runs of one target. */
export interface TargetSummary {
  target: string;
  runs: number;
  accepted: number;
  duplicates: number;
  inDoubt: number;
  failed: number;
  lost: number;
  /** Seconds. */
  slowestRecovery: number;
  /** Seconds; null where a standstill of the consumption is not measured. */
  longestStandstill: number | null;
  breached: number;
}

/** Sums up runs by target, in the order they were run. */
export function summarise(results: readonly RunResult[]): TargetSummary[] {
  const summaries = new Map<string, TargetSummary>();
  for (const { target, verdict, recoverySeconds, standstillSeconds } of results) {
    const before = summaries.get(target) ?? emptySummary(target);
    summaries.set(target, {
      target,
      runs: before.runs + 1,
      accepted: before.accepted + verdict.accepted,
      duplicates: before.duplicates + verdict.duplicates,
      inDoubt: before.inDoubt + verdict.inDoubt,
      failed: before.failed + verdict.failed,
      lost: before.lost + verdict.lost,
      slowestRecovery: Math.max(before.slowestRecovery, recoverySeconds),
      longestStandstill:
        standstillSeconds === undefined ? null : Math.max(before.longestStandstill ?? 0, standstillSeconds),
      breached: before.breached + (verdict.breaches.length > 0 ? 1 : 0),
    });
  }
  return [...summaries.values()];
}

const emptySummary = (target: string): TargetSummary => ({
  target,
  runs: 0,
  accepted: 0,
  duplicates: 0,
  inDoubt: 0,
  failed: 0,
  lost: 0,
  slowestRecovery: 0,
  longestStandstill: null,
  breached: 0,
});

/** Rows as a Markdown table; columns without numbers are aligned left. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const isNumber = head.map((_, i) => rows.every((row) => /^\d/.test(row[i]!)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (isNumber[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(' | ')} |`;
  const rule = widths.map((width, i) => (isNumber[i] ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2)));
  return [line(head), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}

/** The table at the end of a matrix. */
export const summaryTable = (summaries: readonly TargetSummary[]): string =>
  table(
    [
      'target',
      'runs',
      'accepted',
      'duplicates',
      'in doubt',
      'refused',
      'lost',
      'slowest recovery',
      'standstill',
      'breached',
    ],
    summaries.map((one) => [
      one.target,
      ...[one.runs, one.accepted, one.duplicates, one.inDoubt, one.failed, one.lost].map(String),
      `${one.slowestRecovery.toFixed(1)} s`,
      one.longestStandstill === null ? '-' : `${one.longestStandstill.toFixed(1)} s`,
      String(one.breached),
    ]),
  );
