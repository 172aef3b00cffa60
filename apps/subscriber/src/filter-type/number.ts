import { z } from 'zod';
import type { FilterField, FilterOperator, FilterType } from '../filter/filter.js';
import type { Expression } from './comparison.js';

const amount = z.number();

/** Where there may be no value, only NOT_EQUALS is met without one. */
export function numberOperators(of: Expression, options: { missing?: Expression } = {}): FilterOperator[] {
  const compare = (operator: string, sign: string): FilterOperator => ({
    operator,
    params: { value: amount },
    example: { value: 5 },
    condition: (leaf, scope) => {
      const holds = `${of(leaf, scope)} ${sign} ${scope.bind(leaf.params.value, 'numeric')}`;
      return operator === 'NOT_EQUALS' && options.missing ? `(${options.missing(leaf, scope)} or ${holds})` : holds;
    },
  });
  return [
    compare('EQUALS', '='),
    compare('NOT_EQUALS', '<>'),
    compare('GREATER_THAN', '>'),
    compare('GREATER_OR_EQUAL', '>='),
    compare('LESS_THAN', '<'),
    compare('LESS_OR_EQUAL', '<='),
    {
      operator: 'BETWEEN',
      params: { min: amount, max: amount },
      example: { min: 1, max: 10 },
      reversed: ({ min, max }) => ((min as number) > (max as number) ? { first: 'min', last: 'max' } : null),
      condition: (leaf, scope) =>
        `${of(leaf, scope)} between ${scope.bind(leaf.params.min, 'numeric')} and ${scope.bind(leaf.params.max, 'numeric')}`,
    },
  ];
}

const counter = (field: string, label: string, column: string): FilterField => ({
  field,
  label,
  operators: numberOperators((_leaf, scope) => `coalesce(${scope.activity()}.${column}, 0)`),
});

export const numberFilters: FilterType = {
  type: 'NUMBER',
  fields: [
    counter('emailCount', 'Emails sent to the subscriber', 'email_count'),
    counter('openCount', 'Opens', 'open_count'),
    counter('clickCount', 'Clicks', 'click_count'),
    counter('revenue', 'Revenue in the currency of the organization', 'revenue'),
  ],
};
