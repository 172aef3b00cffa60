import { z } from 'zod';
import { subscriberEventTypes } from '#contracts';
import type { ConditionScope, FilterField, FilterType, Leaf } from '../filter/filter.js';

const dayMs = 86_400_000;

/** By type the column of `recipient_campaign` that says when it happened. */
const columnOf: Readonly<Record<string, string | undefined>> = {
  EMAIL_SENT: 'sent_at',
  EMAIL_RECEIVED: 'delivered_at',
};

function happened({ field, params }: Leaf, scope: ConditionScope): string {
  const { inLastDays, minCount = 1 } = params as { inLastDays?: number; minCount?: number };
  const since =
    inLastDays === undefined
      ? null
      : scope.bind(new Date(scope.now.getTime() - inLastDays * dayMs).toISOString(), 'timestamptz');
  const own = `e.organization_id = ${scope.organization}`;
  const type = scope.bind(field, 'text');
  const sources = [
    `subscriber_event e where ${own} and e.type = ${type}${since ? ` and e.created_at >= ${since}` : ''}`,
  ];
  const column = columnOf[field];
  // The period of a campaign excludes most campaigns before any recipient is read.
  if (column)
    sources.push(
      `recipient_campaign e where ${own} and ${since ? `e.last_at >= ${since} and e.${column} >= ${since}` : `e.${column} is not null`}`,
    );
  if (minCount <= 1)
    return anyOf(sources.map((source) => `exists (select from ${source} and e.subscriber_id = s.subscriber_id)`));
  const rows = sources.map((source) => `select e.subscriber_id from ${source}`).join(' union all ');
  return `exists (select from (select subscriber_id from (${rows}) u
    group by 1 having count(*) >= ${scope.bind(minCount, 'bigint')}) g where g.subscriber_id = s.subscriber_id)`;
}

const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 1 ? conditions[0]! : `(${conditions.join(' or ')})`;

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
