import type { CompiledVersion } from '../compiled-version.js';
import { statisticsOf } from '../step-counters.js';
import { assumptionsOf } from './simulation-assumptions.js';
import { lineSentence } from './simulation-words.js';
import { examplesOf } from './simulation-totals.js';
import type { StoredTotals } from './simulation-totals.js';

interface Facts {
  version: CompiledVersion;
  read: number;
  isGrouped: boolean;
  /** Addresses by subscriber id, without deleted subscribers. */
  emails: ReadonlyMap<string, string>;
}

/** Returns the result of a simulation as the API answers it. */
export function resultOf(totals: StoredTotals, { version, read, isGrouped, emails }: Facts) {
  const counts = new Map(Object.entries(totals.counts));
  const of = (key: string) => counts.get(key) ?? 0;
  const { graph, successGoals } = version.draft;
  const statistics = statisticsOf(counts, graph.steps, successGoals);
  const { enrolled, completed, canceled, failed, skipped, goals } = statistics;
  return {
    read,
    considered: of('considered'),
    subscribers: of('subscribers'),
    entered: enrolled,
    runs: { completed, canceled, failed, waiting: enrolled - completed - canceled - failed },
    skipped,
    ends: endsOf(counts),
    goals,
    steps: statistics.steps.map(({ stepId, entered, waiting, left }) => ({
      stepId,
      entered,
      waiting,
      left,
      ...(version.is(stepId, 'EMAIL') && { mailed: of(`mail:${stepId}:sent`) }),
      reasons: reasonsOf(counts, stepId),
    })),
    examples: examplesOf(totals).map(({ signature: _signature, path, ...example }) => ({
      ...example,
      email: emails.get(example.subscriberId) ?? null,
      path: path.map((line) => ({ ...line, why: lineSentence(line, version, example.startedBy) })),
    })),
    assumptions: assumptionsOf(version, { isGrouped, hasFailed: of('filters-failed') > 0, isCut: of('cut') > 0 }),
  };
}

function endsOf(counts: ReadonlyMap<string, number>) {
  return [...counts]
    .flatMap(([key, count]) => {
      const [, status, reason] = /^end:([A-Z]+):(.*)$/s.exec(key) ?? [];
      return status === undefined ? [] : [{ status, reason: reason === '' ? null : reason!, count }];
    })
    .sort((a, b) => b.count - a.count || (`${a.status} ${a.reason}` < `${b.status} ${b.reason}` ? -1 : 1));
}

function reasonsOf(counts: ReadonlyMap<string, number>, stepId: string) {
  const prefix = `why:${stepId}:`;
  return [...counts]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, count]) => {
      const [outcome = '', ...reason] = key.slice(prefix.length).split(':');
      return { outcome, reason: reason.join(':'), count };
    })
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}
