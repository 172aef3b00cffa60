/** A JSON Schema as the contracts give it (draft 2020-12), as far as forms need it. */
export interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: (string | number)[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  default?: unknown;
}

export interface SchemaField {
  name: string;
  kind: 'text' | 'number' | 'flag' | 'choice' | 'texts' | 'record' | 'records' | 'json';
  isRequired: boolean;
  description: string | undefined;
  choices?: readonly string[];
  noun?: string;
}

const nouns = new Set(['tag', 'segment', 'campaign', 'workflow', 'field', 'sender', 'subscriber']);

/** The fields of an object schema, required ones first. What no control fits is JSON. */
export function schemaFields({ properties = {}, required = [] }: JsonSchema): SchemaField[] {
  const fields = Object.entries(properties).flatMap(([name, schema]): SchemaField[] => {
    if (schema.const !== undefined || name === 'confirmationCode') return [];
    const base = { name, isRequired: required.includes(name), description: schema.description };
    const [, noun = ''] = /^([a-z]+)Ids?$/.exec(name) ?? [];
    if (nouns.has(noun)) return [{ ...base, kind: schema.type === 'array' ? 'records' : 'record', noun }];
    if (schema.enum?.every((one) => typeof one === 'string'))
      return [{ ...base, kind: 'choice', choices: schema.enum }];
    if (schema.type === 'string') return [{ ...base, kind: 'text' }];
    if (schema.type === 'number' || schema.type === 'integer') return [{ ...base, kind: 'number' }];
    if (schema.type === 'boolean') return [{ ...base, kind: 'flag' }];
    if (schema.type === 'array' && schema.items?.type === 'string') return [{ ...base, kind: 'texts' }];
    return [{ ...base, kind: 'json' }];
  });
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
}

/**
 * Reads what a person typed into a field.
 * @returns undefined for an empty field
 * @throws SyntaxError for JSON that is none
 */
export function fieldValue({ kind }: SchemaField, typed: string | readonly string[] | boolean | undefined): unknown {
  if (typed === undefined || typed === '' || (Array.isArray(typed) && typed.length === 0)) return undefined;
  if (kind === 'number') return Number(typed);
  if (kind === 'json') return JSON.parse(String(typed)) as unknown;
  if (kind === 'record') return Array.isArray(typed) ? (typed[0] as unknown) : typed;
  if (kind === 'texts')
    return String(typed)
      .split(',')
      .flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));
  return typed;
}
