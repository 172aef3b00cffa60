import { z } from 'zod';
import type { Filter } from '#contracts';
import { filterTypes } from './filter-table.js';
import type { FilterField, FilterOperator, FilterType, TargetKind } from './filter.js';
import { groupParams } from './read-filters.js';

/** Names that examples show where the organization has no such record. */
const placeholders: Record<TargetKind, string> = {
  tag: 'customer',
  field: 'city',
  segment: 'Customers',
  campaign: 'Spring news',
  workflow: 'Welcome',
};

interface ListedOperator {
  operator: string;
  params: Record<string, unknown>;
  example: Filter;
}

/** @param samples a record's name of each kind that the organization has */
export const listFilters = (samples: ReadonlyMap<TargetKind, string>) =>
  filterTypes.map((type) => ({
    type: type.type,
    fields: type.fields.map((field) => ({
      field: field.field,
      label: field.label,
      operators: field.operators.map((operator) => listed({ type, field, operator }, samples)),
    })),
  }));

interface TableRow {
  type: FilterType;
  field: FilterField;
  operator: FilterOperator;
}

function listed(row: TableRow, samples: ReadonlyMap<TargetKind, string>): ListedOperator {
  const { type, field, operator } = row;
  const words = {
    type: type.type,
    ...(type.fieldParam ? { [type.fieldParam.name]: field.field } : { field: field.field }),
    operator: operator.operator,
  };
  const example = { ...words, ...targetExample(type, samples), ...operator.example };
  return { operator: operator.operator, params: schemaOf(row, words), example };
}

function targetExample({ targets }: FilterType, samples: ReadonlyMap<TargetKind, string>): Record<string, unknown> {
  if (!targets) return {};
  if (targets.any) return { [targets.any]: true };
  const name = samples.get(targets.kind) ?? placeholders[targets.kind];
  return { [targets.names]: targets.many ? [name] : name };
}

function schemaOf({ type, operator }: TableRow, words: Record<string, string>): Record<string, unknown> {
  const literals = Object.entries(words).map(([word, value]) => [word, z.literal(value)] as const);
  const shape = { ...type.params, ...operator.params, ...Object.fromEntries(literals) };
  const schema = z.toJSONSchema(z.strictObject(shape), { io: 'input' });
  const { targets } = type;
  const ways = targets ? [targets.ids, targets.names, targets.any].filter((way) => way !== undefined) : [];
  return { ...schema, ...(ways.length > 0 && { anyOf: ways.map((way) => ({ required: [way] })) }) };
}

export const listedGroup = {
  params: z.toJSONSchema(groupParams.extend({ type: z.literal('GROUP') }), { io: 'input' }) as Record<string, unknown>,
  example: {
    type: 'GROUP',
    match: 'ANY',
    filters: [
      { type: 'STRING', field: 'country', operator: 'EQUALS', value: 'FR' },
      { type: 'STRING', field: 'email', operator: 'ENDS_WITH', value: '.fr' },
    ],
  },
};
