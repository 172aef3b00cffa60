import type { JsonSchema } from '../parts/schema-fields.js';
import { letterConfig } from './letter.js';

export type Config = Record<string, unknown>;

export interface ConfigSchema extends JsonSchema {
  oneOf?: ConfigSchema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** Kinds of events to which a field belongs; with others it would have no effect. A field that is not named fits all. */
const kindsWith: Record<string, readonly string[]> = {
  tags: ['TAG_ADDED', 'TAG_REMOVED', 'EVENT', 'ADD_TAGS', 'REMOVE_TAGS'],
  fieldId: ['FIELD_UPDATED', 'DATE_FIELD', 'EVENT'],
  campaignId: ['EMAIL_OPENED', 'EMAIL_CLICKED', 'UNSUBSCRIBED', 'EVENT'],
  eventType: ['EVENT'],
  offsetDays: ['DATE_FIELD'],
  time: ['DATE_FIELD'],
};

/** Sets of fields of which a step uses one. */
export const forms: Record<
  string,
  readonly { name: 'span' | 'clock' | 'date' | 'event' | 'filters'; fields: readonly string[]; start: Config }[]
> = {
  WAIT: [
    { name: 'span', fields: ['amount', 'unit', 'duration'], start: { amount: 1, unit: 'DAYS' } },
    { name: 'clock', fields: ['timeOfDay', 'weekdays', 'timezone'], start: { timeOfDay: '09:00' } },
    {
      name: 'date',
      fields: ['fieldId', 'offsetDays', 'timeOfDay', 'timezone'],
      start: { fieldId: '', timeOfDay: '09:00' },
    },
  ],
  WAIT_UNTIL: [
    { name: 'event', fields: ['event', 'timeout'], start: { event: { kind: 'EMAIL_CLICKED' } } },
    { name: 'filters', fields: ['filters', 'timeout'], start: { filters: [] } },
  ],
  GOAL: [
    { name: 'event', fields: ['event'], start: { event: { kind: 'EMAIL_CLICKED' } } },
    { name: 'filters', fields: ['filters'], start: { filters: [] } },
  ],
};

export type Form = (typeof forms)[string][number];

/** The set of fields that a config uses now; null for a type without such sets. */
export function formOf(type: string, config: Config): Form | null {
  const all = forms[type];
  if (!all) return null;
  const has = (name: string) => config[name] !== undefined;
  const found =
    type === 'WAIT'
      ? all.find(({ name }) => name === (has('fieldId') ? 'date' : has('timeOfDay') ? 'clock' : 'span'))
      : all.find(({ name }) => has(name));
  return found ?? all[0]!;
}

/** The config in another form; what both forms take stays. */
export function withForm(config: Config, form: Form): Config {
  const kept = Object.entries(config).filter(([name]) => form.fields.includes(name));
  return { ...form.start, ...Object.fromEntries(kept) };
}

/** The kinds of a config, and the properties that belong to the one in force. */
export function propertiesOf(
  schema: ConfigSchema,
  config: Config,
): { kinds: string[]; properties: Record<string, ConfigSchema>; required: readonly string[] } {
  const variants = schema.oneOf ?? schema.anyOf;
  const kindsOf = ({ properties = {} }: JsonSchema): string[] => {
    const { kind } = properties;
    return kind?.const !== undefined ? [String(kind.const)] : (kind?.enum ?? []).map(String);
  };
  if (!variants) {
    const { kind, ...rest } = (schema.properties ?? {}) as Record<string, ConfigSchema>;
    const fitting = Object.entries(rest).filter(
      ([name]) => kind === undefined || (kindsWith[name]?.includes(String(config.kind)) ?? true),
    );
    return { kinds: kindsOf(schema), properties: Object.fromEntries(fitting), required: schema.required ?? [] };
  }
  const variant = variants.find((one) => kindsOf(one).includes(String(config.kind))) ?? variants[0]!;
  const { kind: _kind, ...properties } = (variant.properties ?? {}) as Record<string, ConfigSchema>;
  return { kinds: variants.flatMap(kindsOf), properties, required: variant.required ?? [] };
}

/** The config with another kind; fields that the new kind lacks leave. */
export function withKind(schema: ConfigSchema, config: Config, kind: string): Config {
  const { properties } = propertiesOf(schema, { kind });
  return {
    kind,
    ...Object.fromEntries(Object.entries(config).filter(([name]) => name !== 'kind' && name in properties)),
  };
}

/** The config with one field changed; undefined takes it away. */
export function withField(config: Config, name: string, value: unknown): Config {
  const { [name]: _old, ...rest } = config;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** How a new step of a type begins: as the example of the API, without names that only the example has. */
export function startConfig(type: string, example: Config): Config {
  if (type === 'ACTION') return { kind: 'ADD_TAGS', tags: [] };
  if (type === 'MOVE_TO_STEP') return { stepId: '' };
  if (type === 'EXIT') return {};
  if (type === 'EMAIL') return letterConfig();
  return structuredClone(example);
}

/** Names of the fields that differ: typing in one of them is one step of undo. */
export const changedFields = (before: Config, after: Config): string =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name]).join();
