import { z } from 'zod';
import type { Data, filterTools } from '#contracts';
import { typeText } from './listing/parameter-line.js';

type WholeListing = Data<(typeof filterTools)['calls']['get_available_filters']>;
type WholeField = WholeListing['filters'][number]['fields'][number];
type JsonSchema = Record<string, unknown>;

/** Words of a filter that choose the operator, as opposed to the values it takes. */
const choosing = ['type', 'field', 'operator'];
const noValue = 'no value';

const example = z.record(z.string(), z.unknown());
const compactListing = z.object({
  filters: z
    .array(
      z.object({
        type: z.string(),
        field: z.array(z.string()).optional(),
        valueType: z.array(z.string()).optional().describe('In place of field'),
        target: z.string().optional().describe('What each of these filters names, beside the values of its operator'),
        operators: z.record(z.string(), z.array(z.string())).describe('Operators by the values they take'),
      }),
    )
    .describe('A type has one entry for all fields with the same operators'),
  examples: z.array(example).describe('One filter of each type'),
  group: z.object({ depthMax: z.int(), values: z.string(), example }).describe('Combines filters by ANY or ALL'),
});

/** The filters that agents read: a twenty-fifth of the whole listing, with the same types, operators and values. */
function compactFilters({ filters, group }: WholeListing): z.infer<typeof compactListing> {
  return {
    filters: filters.flatMap(({ type, fields }) => {
      const alike = new Map<string, { names: string[]; values: FieldValues }>();
      for (const field of fields) {
        const values = valuesOf(field);
        const key = JSON.stringify(values);
        alike.set(key, { names: [...(alike.get(key)?.names ?? []), field.field], values });
      }
      const hasField = Object.hasOwn(fields[0]!.operators[0]!.params.properties as object, 'field');
      return [...alike.values()].map(({ names, values }) => ({
        type,
        // Custom fields are chosen by id or name, and read as the valueType says.
        ...(hasField ? { field: names } : { valueType: names }),
        ...values,
      }));
    }),
    examples: filters.map(({ fields }) => fields[0]!.operators[0]!.example),
    group: { depthMax: group.depthMax, values: otherValues(group.params), example: group.example },
  };
}

interface FieldValues {
  target?: string;
  operators: Record<string, string[]>;
}

function valuesOf({ operators: all }: WholeField): FieldValues {
  const operators: Record<string, string[]> = {};
  for (const { operator, params } of all) (operators[otherValues(params) || noValue] ??= []).push(operator);
  const target = targetText(all[0]!.params);
  return { ...(target && { target }), operators };
}

/** The parameters one of which names a record: `tagIds or tagNames: text[]`; empty for filters without one. */
function targetText(params: JsonSchema): string {
  const schemas = params.properties as Record<string, JsonSchema>;
  const ways = waysOf(params);
  const types = [...new Set(ways.map((name) => valueType(schemas[name]!)))];
  return types
    .map((type) => `${ways.filter((name) => valueType(schemas[name]!) === type).join(' or ')}: ${type}`)
    .join(', or ');
}

/** The other values in one line: `value: text, inLastDays?: integer`. */
function otherValues(params: JsonSchema): string {
  const { properties, required = [] } = params;
  const apart = [...choosing, ...waysOf(params)];
  return Object.entries(properties as Record<string, JsonSchema>)
    .filter(([name, { const: fixed }]) => !apart.includes(name) && fixed === undefined)
    .map(([name, schema]) => `${name}${(required as string[]).includes(name) ? '' : '?'}: ${valueType(schema)}`)
    .join(', ');
}

const waysOf = ({ anyOf = [] }: JsonSchema): string[] =>
  (anyOf as { required: [string] }[]).map(({ required: [name] }) => name);

/** Text values may be written as numbers and booleans too; the examples show how dates are written. */
function valueType(schema: JsonSchema): string {
  const { anyOf, items } = schema;
  if (Array.isArray(anyOf) && (anyOf as JsonSchema[]).some(({ type }) => type === 'string')) return 'text';
  if (schema.type === 'array' && JSON.stringify(items) === '{}') return 'filter[]';
  return schema.type === 'array' ? `${valueType(items as JsonSchema)}[]` : typeText(schema);
}

interface CompactForm {
  summary: string;
  schema: z.ZodType;
  of(data: unknown): Record<string, unknown>;
}

/** Tools whose answer an agent gets in a shorter form than HTTP callers, by name. */
export const compactForms: Readonly<Partial<Record<string, CompactForm>>> = {
  get_available_filters: {
    summary:
      'Lists all filter types with their fields, their operators by the values they take, and an example of each type.',
    schema: compactListing,
    of: (data) => compactFilters(data as WholeListing),
  },
};
