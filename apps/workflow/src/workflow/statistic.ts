import type { Step } from '../graph/graph.js';
import type { SuccessGoal } from '../graph/config.js';

/** How many runs are under way, by workflow. */
export const openMetric = 'workflow.open';
/** The counts of one workflow; keys: `run:…`, `goal:…`, `in:<step>`, `out:<step>:<branch>`, `mail:<step>:…`. */
export const metricOf = (workflowUuid: string): string => `workflow.${workflowUuid}`;

/** What get_workflow tells of a workflow's counts; steps are those of the graph shown. */
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
    steps: steps.map(({ id, type }) => {
      const prefix = `out:${id}:`;
      const left = Object.fromEntries(
        [...counts].filter(([key]) => key.startsWith(prefix)).map(([key, n]) => [key.slice(prefix.length), n] as const),
      );
      const entered = of(`in:${id}`);
      const gone = Object.values(left).reduce((sum, n) => sum + n, 0);
      const mail = (what: string) => of(`mail:${id}:${what}`);
      return {
        ...{ stepId: id, entered, waiting: Math.max(0, entered - gone), left },
        ...(type === 'EMAIL' && { emails: { sent: mail('sent'), opened: mail('opened'), clicked: mail('clicked') } }),
      };
    }),
  };
}
