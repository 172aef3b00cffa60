import type { Visit } from './harness.js';

/** What the design allows for a job from home, signed in, and typing left out. */
interface Job {
  number: number;
  name: string;
  clicks: number;
  /** Keys without those that type a text or move through a form. */
  keys: string;
}

export const jobs = {
  well: { number: 1, name: 'Is all well?', clicks: 0, keys: '–' },
  find: { number: 2, name: 'Find a subscriber, see all that happened', clicks: 2, keys: '/ text Enter' },
  send: { number: 3, name: 'Write and send a campaign', clicks: 6, keys: 'c … Mod+Enter' },
  stop: { number: 4, name: 'Stop what goes wrong', clicks: 1, keys: 'g c Enter p' },
  retry: { number: 5, name: 'Who did not get it, why, and retry', clicks: 4, keys: 'g c Enter r' },
  import: { number: 6, name: 'Import a list', clicks: 5, keys: 'palette' },
  segment: { number: 7, name: 'Build a segment, see it fill', clicks: 6, keys: 'g s n' },
  automate: { number: 8, name: 'Change an automation, see where subscribers are', clicks: 6, keys: 'g w Enter' },
  decide: { number: 9, name: 'Decide what is asked for', clicks: 2, keys: 'g a a' },
  domain: { number: 10, name: 'Set up a domain', clicks: 4, keys: 'palette' },
} satisfies Record<string, Job>;

export type JobName = keyof typeof jobs;

/** The table of jobs, with what was counted. */
export class JobTable {
  readonly #clicks = new Map<JobName, number>();
  readonly #keys = new Map<JobName, string>();

  noteClicks(job: JobName, { clicks }: Visit): void {
    this.#clicks.set(job, clicks);
  }

  noteKeys(job: JobName, { pressed }: Visit): void {
    this.#keys.set(job, `${pressed.length}: ${inRuns(pressed)}`);
  }

  get text(): string {
    const rows = (Object.keys(jobs) as JobName[]).map((job) => {
      const { number, name, clicks, keys } = jobs[job];
      return [
        `${number}`,
        name,
        `${clicks}`,
        `${this.#clicks.get(job) ?? '?'}`,
        keys,
        this.#keys.get(job) ?? '?',
      ] as const;
    });
    const all = [['job', '', 'clicks ≤', 'counted', 'keys', 'counted'] as const, ...rows];
    const widths = all[0]!.map((_cell, column) => Math.max(...all.map((row) => row[column]!.length)));
    return all
      .map((row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd(),
      )
      .join('\n');
  }
}

/** "Tab Tab Tab Enter" as "3×Tab Enter". */
function inRuns(keys: readonly string[]): string {
  const runs: { key: string; count: number }[] = [];
  for (const key of keys) {
    const last = runs.at(-1);
    if (last?.key === key) last.count++;
    else runs.push({ key, count: 1 });
  }
  return runs.map(({ key, count }) => (count > 1 ? `${count}×${key}` : key)).join(' ');
}
