import type { Step } from './graph/graph.js';
import type { SuccessGoal } from './graph/step-config.js';

export const openMetric = 'workflow.open';
/** The counts of one workflow; keys: `run:…`, `goal:…`, `in:<step>`, `out:<step>:<branch>`, `mail:<step>:…`, `skip:…`. */
export const metricOf = (workflowUuid: string): string => `workflow.${workflowUuid}`;

/** Covers the steps of the shown graph, and steps of earlier versions that still hold runs. */
export function statisticsOf(
  counts: ReadonlyMap<string, number>,
  steps: readonly Step[],
  goals: readonly SuccessGoal[],
) {
  const of = (key: string) => counts.get(key) ?? 0;
  return {
    enrolled: of('run:ENROLLED'),
    completed: of('run:COMPLETED'),
    canceled: of('run:CANCELED'),
    failed: of('run:FAILED'),
    conversions: [...counts].reduce((sum, [key, n]) => (key.startsWith('goal:') ? sum + n : sum), 0),
    skipped: [...counts]
      .filter(([key]) => key.startsWith('skip:'))
      .map(([key, count]) => ({ reason: key.slice('skip:'.length), count }))
      .sort((a, b) => (a.reason < b.reason ? -1 : 1)),
    goals: goals.map(({ id, name }) => ({ id, name, conversions: of(`goal:${id}`) })),
    steps: [
      ...steps.map(({ id, type }) => {
        const mail = (what: string) => of(`mail:${id}:${what}`);
        return {
          ...passagesOf(counts, id),
          ...(type === 'EMAIL' && { emails: { sent: mail('sent'), opened: mail('opened'), clicked: mail('clicked') } }),
        };
      }),
      ...[...counts.keys()]
        .filter((key) => key.startsWith('in:') && !steps.some(({ id }) => key === `in:${id}`))
        .map((key) => passagesOf(counts, key.slice('in:'.length)))
        .filter(({ waiting }) => waiting > 0),
    ],
  };
}

function passagesOf(counts: ReadonlyMap<string, number>, stepId: string) {
  const prefix = `out:${stepId}:`;
  const left = Object.fromEntries(
    [...counts].filter(([key]) => key.startsWith(prefix)).map(([key, n]) => [key.slice(prefix.length), n] as const),
  );
  const entered = counts.get(`in:${stepId}`) ?? 0;
  const gone = Object.values(left).reduce((sum, n) => sum + n, 0);
  return { stepId, entered, waiting: Math.max(0, entered - gone), left };
}
