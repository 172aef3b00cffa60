import type { ConditionScope, FilterOperator, FilterType } from '../filter/filter.js';

const dayMs = 86_400_000;
const daysAgo = (days: number, scope: ConditionScope) =>
  scope.bind(new Date(scope.now.getTime() - days * dayMs).toISOString(), 'timestamptz');

const system = (operator: string, condition: (scope: ConditionScope, a: string) => string): FilterOperator => ({
  operator,
  params: {},
  example: {},
  condition: (_leaf, scope) => condition(scope, scope.activity()),
});

export const systemFilters: FilterType = {
  type: 'SYSTEM',
  fields: [
    {
      field: 'system',
      label: 'Engagement and quality',
      operators: [
        // Opened or clicked in 90 days.
        system(
          'IS_ENGAGED',
          (scope, a) => `greatest(${a}.last_opened_at, ${a}.last_clicked_at) >= ${daysAgo(90, scope)}`,
        ),
        // Five emails or more, and none opened or clicked in 180 days.
        system(
          'IS_INACTIVE',
          (scope, a) =>
            `(${a}.email_count >= 5 and (greatest(${a}.last_opened_at, ${a}.last_clicked_at) >= ${daysAgo(180, scope)}) is not true)`,
        ),
        // A throw-away or role address, or clicks of machines and never an open by a person.
        system(
          'IS_SUSPECT',
          (_scope, a) => `(s.is_disposable or s.is_role or (${a}.machine_click_count > 0 and ${a}.open_count = 0))`,
        ),
        system('NEVER_EMAILED', (_scope, a) => `coalesce(${a}.email_count, 0) = 0`),
      ],
    },
  ],
};
