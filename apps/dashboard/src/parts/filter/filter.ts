import type { ToolData } from '#client';
import { filterFieldLabel } from '../../messages/en/api-words.js';

export interface Filter {
  type: string;
  field?: string | undefined;
  operator?: string | undefined;
  [key: string]: unknown;
}

export type AvailableFilters = ToolData<'get_available_filters'>;

export interface FilterGroup extends Filter {
  type: 'GROUP';
  match: 'ANY' | 'ALL';
  filters: Filter[];
}

/** One value that an operator takes, by its JSON Schema. */
export interface FilterParam {
  name: string;
  kind: 'text' | 'texts' | 'number' | 'date' | 'choice' | 'flag' | 'record' | 'records';
  isOptional: boolean;
  choices?: readonly string[];
  /** Of a record: what its id names, such as `segment`. */
  noun?: string;
}

interface Schema {
  type?: string;
  const?: unknown;
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}

export type FilterOperator = AvailableFilters['filters'][number]['fields'][number]['operators'][number];

export interface FilterField {
  key: string;
  type: string;
  label: string;
  operators: readonly FilterOperator[];
}

/** The type of filters on custom fields: its fields are the ways to read a value, and the filter names the field. */
export const customFieldType = 'FIELD';

/** The id, or the name, of the custom field of a filter. */
export const customFieldOf = ({ fieldId, fieldName }: Filter): string | undefined => {
  const given = fieldId ?? fieldName;
  return given === undefined ? undefined : String(given);
};

export const isGroup = (filter: Filter): filter is FilterGroup => filter.type === 'GROUP';

export const filterFields = ({ filters }: AvailableFilters): FilterField[] =>
  filters.flatMap(({ type, fields }) =>
    fields.map(({ field, label, operators }) => ({
      key: `${type}/${field}`,
      type,
      label: filterFieldLabel(type, field, label),
      operators,
    })),
  );

/** What an operator's examples and filters have in common: the type, the field, and constants such as `valueType`. */
const fixedOf = ({ params }: FilterOperator): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries((params as Schema).properties ?? {}).flatMap(([name, schema]) =>
      schema.const === undefined ? [] : [[name, schema.const]],
    ),
  );

/** The field and the operator of a filter. @returns null for one that the API no longer lists */
export function operatorOf(
  filter: Filter,
  fields: readonly FilterField[],
): { field: FilterField; operator: FilterOperator } | null {
  for (const field of fields) {
    const operator = field.operators.find((one) =>
      Object.entries(fixedOf(one)).every(([name, value]) => filter[name] === value),
    );
    if (operator) return { field, operator };
  }
  return null;
}

/** The values that an operator takes, in the order of its schema. `xId` and `xName` are one value: a record. */
export function paramsOf({ params }: FilterOperator): FilterParam[] {
  const { properties = {}, required = [] } = params as Schema;
  return Object.entries(properties).flatMap(([name, schema]): FilterParam[] => {
    if (schema.const !== undefined || /Names?$/.test(name)) return [];
    const isOptional = !required.includes(name);
    const record = /^([a-z]+)Ids?$/.exec(name);
    if (record)
      return [
        {
          name,
          kind: schema.type === 'array' ? 'records' : 'record',
          isOptional: 'any' in properties,
          noun: record[1]!,
        },
      ];
    if (schema.enum) return [{ name, kind: 'choice', isOptional, choices: schema.enum }];
    if (schema.type === 'array') return [{ name, kind: 'texts', isOptional }];
    if (schema.type === 'boolean') return [{ name, kind: 'flag', isOptional }];
    if (schema.type === 'number' || schema.type === 'integer') return [{ name, kind: 'number', isOptional }];
    return [{ name, kind: schema.description?.includes('YYYY-MM-DD') ? 'date' : 'text', isOptional }];
  });
}

export const emptyFilter = (operator: FilterOperator): Filter => ({
  ...fixedOf(operator),
  type: operator.example.type,
  ...Object.fromEntries(
    paramsOf(operator).flatMap(({ name, kind, choices, isOptional }) =>
      kind === 'choice' && !isOptional ? [[name, choices![0]]] : [],
    ),
  ),
});

/** Changes the operator of a filter; values that the other one takes as well stay. */
export function withOperator(filter: Filter, operator: FilterOperator): Filter {
  const taken = Object.keys((operator.params as Schema).properties ?? {});
  const kept = Object.fromEntries(Object.entries(filter).filter(([name]) => taken.includes(name)));
  return { ...kept, ...emptyFilter(operator) };
}

/** Whether every value that a filter needs is given; a group needs a whole filter inside. */
export function isComplete(filter: Filter, fields: readonly FilterField[]): boolean {
  if (isGroup(filter)) return filter.filters.length > 0 && filter.filters.every((one) => isComplete(one, fields));
  const found = operatorOf(filter, fields);
  return found !== null && paramsOf(found.operator).every((param) => param.isOptional || hasValue(filter, param));
}

function hasValue(filter: Filter, { name }: FilterParam): boolean {
  const value = filter[name] ?? filter[name.replace(/Id(s?)$/, 'Name$1')];
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '' && value !== null;
}
