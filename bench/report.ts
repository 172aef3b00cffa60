import { appendFileSync } from 'node:fs';

/** Where a bench runs: what the launcher hands down. */
export function environment(): { buildDir: string; databaseUrl: string; natsUrl: string; masterKey: string } {
  const { TIDINGS_BUILD_DIR, DATABASE_URL, NATS_URL, MASTER_KEY } = process.env;
  if (!TIDINGS_BUILD_DIR || !DATABASE_URL || !NATS_URL || !MASTER_KEY) {
    throw new Error('Start this with npm run: the launcher provides the build, PostgreSQL and NATS.');
  }
  return { buildDir: TIDINGS_BUILD_DIR, databaseUrl: DATABASE_URL, natsUrl: NATS_URL, masterKey: MASTER_KEY };
}

/** The middle of the values; of two in the middle the lower. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/**
 * Prints figures as a table, and ratios with the bars they are held against; the launcher gathers them for the table at the
 * end of all benches.
 */
export function report(
  title: string,
  rows: readonly ({ name: string } & Record<string, number | string>)[],
  ratios: readonly { name: string; value: number; bar: string }[],
): void {
  const show = (value: number | string) =>
    typeof value === 'string' ? value : value >= 100 ? value.toFixed(0) : value.toFixed(2);
  const lines = rows.map(({ name, ...figures }) =>
    [name.padEnd(28), ...Object.entries(figures).map(([key, value]) => `${key} ${show(value).padStart(8)}`)].join('  '),
  );
  const ratioLines = ratios.map(({ name, value, bar }) => `${name.padEnd(44)} ${value.toFixed(2)}   ${bar}`);
  if (process.env.TIDINGS_BENCH_RESULTS) {
    appendFileSync(process.env.TIDINGS_BENCH_RESULTS, `${JSON.stringify({ title, rows, ratios })}\n`);
  }
  process.stdout.write(`\n${title}\n${[...lines, ...ratioLines].map((line) => `  ${line}`).join('\n')}\n`);
}
