import { z } from 'zod';
import type { ConditionScope, FilterOperator, FilterType, Leaf } from '../filter/filter.js';

const holds = (tagIds: readonly string[], scope: ConditionScope) =>
  `exists (select from subscriber_tag t where ${scope.isTheirs('t')} and t.tag_id = any(${scope.bind(tagIds, 'uuid[]')}))`;
const keys = (leaf: Leaf) => leaf.targets.map(({ key }) => key);

const belongs = (operator: string, condition: FilterOperator['condition']): FilterOperator => ({
  operator,
  params: {},
  example: {},
  condition,
});

export const tagFilters: FilterType = {
  type: 'TAG',
  params: {
    tagIds: z.array(z.string().max(320)).max(100).optional(),
    tagNames: z.array(z.string().max(320)).max(100).optional(),
  },
  targets: { kind: 'tag', ids: 'tagIds', names: 'tagNames', many: true },
  fields: [
    {
      field: 'tags',
      label: 'Tags',
      operators: [
        belongs('BELONGS_TO_ANY', (leaf, scope) => holds(keys(leaf), scope)),
        belongs(
          'BELONGS_TO_ALL',
          (leaf, scope) =>
            `(${keys(leaf)
              .map((key) => holds([key], scope))
              .join(' and ')})`,
        ),
        belongs('BELONGS_TO_NONE', (leaf, scope) => `not ${holds(keys(leaf), scope)}`),
      ],
    },
  ],
};
