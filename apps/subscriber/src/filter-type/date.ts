import { z } from 'zod';
import type { ConditionScope, FilterField, FilterOperator, FilterType, Leaf } from '../filter/filter.js';
import { emptiness } from './comparison.js';
import type { Expression } from './comparison.js';
import { before, isLater, isMoment, reachOf, spanUnits } from './day.js';
import type { SpanUnit } from './day.js';

const moment = z
  .string()
  .max(40)
  .refine(isMoment, 'must be a day (YYYY-MM-DD) or an instant (ISO 8601 with offset) from 1900 to 2999')
  .describe("A day (YYYY-MM-DD) in the organization's time zone, or an instant");
const span = { amount: z.int().min(1).max(10_000), unit: z.enum(spanUnits) };

/** Compares the instants of a column (or of ids, which hold their instant) with bounds. */
export interface InstantExpression {
  /** `sign` one of <, >=. */
  compare(leaf: Leaf, scope: ConditionScope, sign: '<' | '>=', bound: Date): string;
  /** Null where there is no instant; absent where there always is one. */
  value?: Expression;
}

/**
 * BEFORE and AFTER exclude the named day, BETWEEN includes both; NOT_IN_LAST also matches subscribers without an
 * instant.
 */
export function dateOperators(of: InstantExpression): FilterOperator[] {
  const reach = (leaf: Leaf, scope: ConditionScope, param: string) => reachOf(String(leaf.params[param]), scope.zone);
  const start = ({ params }: Leaf, { now, zone }: ConditionScope) =>
    before(now, params.amount as number, params.unit as SpanUnit, zone);
  return [
    {
      operator: 'BEFORE',
      params: { date: moment },
      example: { date: '2030-01-31' },
      zoned: true,
      condition: (leaf, scope) => of.compare(leaf, scope, '<', reach(leaf, scope, 'date').from),
    },
    {
      operator: 'AFTER',
      params: { date: moment },
      example: { date: '2020-01-31' },
      zoned: true,
      condition: (leaf, scope) => of.compare(leaf, scope, '>=', reach(leaf, scope, 'date').to),
    },
    {
      operator: 'BETWEEN',
      params: { from: moment, to: moment },
      example: { from: '2020-01-01', to: '2029-12-31' },
      reversed: ({ from, to }) => (isLater(from as string, to as string) ? { first: 'from', last: 'to' } : null),
      zoned: true,
      condition: (leaf, scope) =>
        `(${of.compare(leaf, scope, '>=', reach(leaf, scope, 'from').from)} and ${of.compare(leaf, scope, '<', reach(leaf, scope, 'to').to)})`,
    },
    {
      operator: 'IN_LAST',
      params: span,
      example: { amount: 30, unit: 'DAYS' },
      zoned: true,
      condition: (leaf, scope) => of.compare(leaf, scope, '>=', start(leaf, scope)),
    },
    {
      operator: 'NOT_IN_LAST',
      params: span,
      example: { amount: 90, unit: 'DAYS' },
      zoned: true,
      condition: (leaf, scope) => `(${of.compare(leaf, scope, '>=', start(leaf, scope))}) is not true`,
    },
    ...(of.value ? emptiness(of.value) : emptiness(() => `s.subscriber_id`)),
  ];
}

export const instants = (value: Expression): InstantExpression => ({
  value,
  compare: (leaf, scope, sign, bound) =>
    `${value(leaf, scope)} ${sign} ${scope.bind(bound.toISOString(), 'timestamptz')}`,
});

const column = (field: string, label: string, value: Expression): FilterField => ({
  field,
  label,
  operators: dateOperators(instants(value)),
});

export const dateFilters: FilterType = {
  type: 'DATE',
  fields: [
    {
      field: 'createdAt',
      label: 'Created',
      // The id holds the instant of creation, so the primary key answers. Ids begin in 1970: an earlier bound would be
      // encoded above all of them.
      operators: dateOperators({
        compare: (_leaf, scope, sign, bound) =>
          `s.subscriber_id ${sign} uuid_floor(${scope.bind(new Date(Math.max(0, bound.getTime())).toISOString(), 'timestamptz')})`,
      }),
    },
    column('updatedAt', 'Last changed', () => 's.updated_at'),
    column('lastEmailedAt', 'Last emailed', (_leaf, scope) => `${scope.activity()}.last_emailed_at`),
    column('lastOpenedAt', 'Last opened', (_leaf, scope) => `${scope.activity()}.last_opened_at`),
    column('lastClickedAt', 'Last clicked', (_leaf, scope) => `${scope.activity()}.last_clicked_at`),
  ],
};
