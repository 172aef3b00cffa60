import { z } from 'zod';
import type { FilterOperator, FilterType } from '../filter/filter.js';

const runs = (operator: string, test: string, negative = false): FilterOperator => ({
  operator,
  params: {},
  example: {},
  condition: ({ targets }, scope) =>
    `${negative ? 'not ' : ''}exists (select from subscriber_workflow w
       where ${scope.isTheirs('w')} and w.workflow_id = ${scope.bind(targets[0]!.key, 'uuid')} and ${test})`,
});

export const workflowFilters: FilterType = {
  type: 'WORKFLOW',
  params: { workflowId: z.string().max(320).optional(), workflowName: z.string().max(320).optional() },
  targets: { kind: 'workflow', ids: 'workflowId', names: 'workflowName', many: false },
  fields: [
    {
      field: 'workflow',
      label: 'Workflow',
      operators: [
        runs('IN', 'w.active_runs > 0'),
        runs('NOT_IN', 'w.active_runs > 0', true),
        runs('COMPLETED', 'w.completed_runs > 0'),
        runs('NEVER_ENTERED', 'true', true),
      ],
    },
  ],
};
