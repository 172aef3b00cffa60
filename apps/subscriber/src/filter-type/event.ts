import { z } from 'zod';
import { subscriberEventTypes } from '#contracts';
import type { ConditionScope, FilterField, FilterType, Leaf } from '../filter/filter.js';

const dayMs = 86_400_000;

function happened({ field, params }: Leaf, scope: ConditionScope): string {
  const { inLastDays, minCount = 1 } = params as { inLastDays?: number; minCount?: number };
  const since = inLastDays === undefined ? null : new Date(scope.now.getTime() - inLastDays * dayMs);
  const where = [
    `e.organization_id = ${scope.organization}`,
    `e.type = ${scope.bind(field, 'text')}`,
    ...(since ? [`e.created_at >= ${scope.bind(since.toISOString(), 'timestamptz')}`] : []),
  ].join(' and ');
  if (minCount <= 1)
    return `exists (select from subscriber_event e where ${where} and e.subscriber_id = s.subscriber_id)`;
  return `exists (select from (select e.subscriber_id from subscriber_event e where ${where}
    group by 1 having count(*) >= ${scope.bind(minCount, 'bigint')}) g where g.subscriber_id = s.subscriber_id)`;
}

const params = { inLastDays: z.int().min(1).max(3650).optional(), minCount: z.int().min(1).max(10_000).optional() };

const ofType = (field: string): FilterField => ({
  field,
  label: field.toLowerCase().replaceAll('_', ' '),
  operators: [
    { operator: 'HAPPENED', params, example: { inLastDays: 30 }, condition: happened },
    { operator: 'NOT_HAPPENED', params, example: { inLastDays: 30 }, condition: (...of) => `not ${happened(...of)}` },
  ],
});

export const eventFilters: FilterType = { type: 'EVENT', fields: subscriberEventTypes.map(ofType) };
