import { z } from 'zod';
import type { Issue } from '#contracts';
import { ToolError } from '../envelope/tool-error.js';
import { closestName } from './closest-name.js';
import { safeParse } from './safe-parse.js';

/** The most problems that one refusal lists (contract, section 9 of part two A). */
export const issuesMax = 50;
/** Maximum number of listed names; a longer list belongs in the contract. */
const namesMax = 30;

/**
 * Checks a call's body against its contract: null for an optional parameter means omitted unless it clears, enum values
 * are accepted in any case, defaults are applied.
 * @param known problems that were found before and taken out of the body; what the schema says at their places is left
 * out
 * @throws ToolError PARAMETERS_INVALID with all problems at once (the first 50), each with its path.
 */
export function parseInput<S extends z.ZodType>(schema: S, body: unknown, known: readonly Issue[] = []): z.output<S> {
  const parsed = safeParse(schema, schema instanceof z.ZodObject ? normalise(schema, body) : body);
  if (parsed.success && known.length === 0) return parsed.data;
  const found = parsed.success ? [] : describeIssues(schema, body, parsed.error);
  const isKnown = ({ path }: Issue) => known.some((one) => one.path.every((step, i) => step === path[i]));
  const issues = [...known, ...found.filter((issue) => !isKnown(issue))].slice(0, issuesMax);
  throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}

export function summarise(issues: readonly Issue[]): string {
  const said = issues
    .map(({ path, message }) => (path.length > 0 ? `${pathText(path)}: ${message}` : message))
    .join('; ');
  return /[.?!]$/.test(said) ? said : `${said}.`;
}

const pathText = (path: Issue['path']) =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');

interface SchemaFacts {
  inner: z.ZodType;
  nullable: boolean;
  optional: boolean;
}

const factsOf = new WeakMap<z.ZodType, SchemaFacts>();

function unwrap(schema: z.ZodType): SchemaFacts {
  const known = factsOf.get(schema);
  if (known) return known;
  const facts = findFacts(schema);
  factsOf.set(schema, facts);
  return facts;
}

function findFacts(schema: z.ZodType): SchemaFacts {
  let inner = schema;
  let nullable = false;
  let optional = false;
  for (;;) {
    if (inner instanceof z.ZodNullable) nullable = true;
    else if (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) optional = true;
    else break;
    inner = inner.unwrap() as z.ZodType;
  }
  if (inner instanceof z.ZodUnion && inner.options.some((option) => option instanceof z.ZodNull)) nullable = true;
  return { inner, nullable, optional };
}

function normalise(schema: z.ZodObject, body: unknown): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) {
    const field = Object.hasOwn(schema.shape, key) ? (schema.shape[key] as z.ZodType) : undefined;
    const facts = field && unwrap(field);
    if (value === null && facts?.optional && !facts.nullable && !(facts.inner instanceof z.ZodUnknown)) continue;
    const wanted = facts ? enumInAnyCase(facts.inner, value) : value;
    // An assignment to this name would change the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: wanted, enumerable: true });
    else copy[key] = wanted;
  }
  return copy;
}

function enumInAnyCase(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodEnum && typeof value === 'string') {
    const wanted = value.toUpperCase();
    return schema.options.find((option) => String(option).toUpperCase() === wanted) ?? value;
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => enumInAnyCase(unwrap(schema.element as z.ZodType).inner, item));
  }
  if (schema instanceof z.ZodObject && value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const { shape } = schema;
    const inside = (key: string, one: unknown): unknown =>
      Object.hasOwn(shape, key) ? enumInAnyCase(unwrap(shape[key] as z.ZodType).inner, one) : one;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inside(key, one)]));
  }
  return value;
}

/** Describes every problem of a value that a schema refused (the first 50), each with its path. */
export function describeIssues(schema: z.ZodType, body: unknown, error: z.ZodError): Issue[] {
  const found: Issue[] = [];
  const suggested = new Set<string>();
  const issues = error.issues.flatMap(ofTheFormMeant);
  const missing = issues.filter(({ path }) => valueAt(body, path as Issue['path']) === undefined);
  const mistyped = new Set<string>();
  for (const issue of issues) {
    if (found.length >= issuesMax) break;
    const path = issue.path as Issue['path'];
    // zod counts on: "emails must be an array" says all, its length as a string says nothing.
    if (mistyped.has(JSON.stringify(path))) continue;
    if (issue.code === 'invalid_type') mistyped.add(JSON.stringify(path));
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, body, path);
      let names = known.length > 0 && known.length <= namesMax ? ` (known: ${known.join(', ')})` : '';
      for (const key of issue.keys.slice(0, issuesMax - found.length)) {
        const guess = missingPart(key, path, missing) ?? closestName(key, known);
        if (guess) suggested.add(JSON.stringify([...path, guess]));
        found.push({ path: [...path, key], message: `unknown parameter${guess ? `; did you mean ${guess}?` : names}` });
        if (!guess) names = '';
      }
    } else {
      found.push({ path, message: sentence(issue, valueAt(body, path)) });
    }
  }
  // "unknown parameter tagid" says all; a second "tagId is required" would only be noise.
  return found.filter(({ path, message }) => message !== 'is required' || !suggested.has(JSON.stringify(path)));
}

/** The one missing parameter that an unknown one says more or less of: `id` for `campaignId`, and the reverse. */
function missingPart(key: string, at: Issue['path'], missing: readonly z.core.$ZodIssue[]): string | undefined {
  const [given, depth] = [key.toLowerCase(), at.length];
  const related = missing
    .filter(({ path }) => path.length === depth + 1 && at.every((step, n) => step === path[n]))
    .map(({ path }) => String(path[depth]))
    .filter((name) => given.endsWith(name.toLowerCase()) || name.toLowerCase().endsWith(given));
  return related.length === 1 ? related[0] : undefined;
}

/** What zod says of a value in none of several forms where the contract says nothing. */
const unsaid = 'Invalid input';

/** When a value has the type of exactly one of several forms, returns its problems in that form. */
function ofTheFormMeant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.message !== unsaid) return [issue];
  const meant = issue.errors.filter((form) => !form.some(isOfWrongType));
  if (meant.length !== 1) return [issue];
  return meant[0]!.flatMap((one) => ofTheFormMeant({ ...one, path: [...issue.path, ...one.path] }));
}

const isOfWrongType = ({ code, path }: z.core.$ZodIssue) => code === 'invalid_type' && path.length === 0;

function sentence(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined && isChoice(issue)) return `is required: one of ${issue.options.join(', ')}`;
  if (value === undefined && ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code ?? ''))
    return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}, not ${kindOf(value)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}${typeof value === 'string' ? `, not "${value.slice(0, 60)}"` : ''}`;
    case 'too_small':
      return limit('at least', issue.minimum, issue.origin);
    case 'too_big':
      return limit('at most', issue.maximum, issue.origin);
    case 'invalid_union':
      return isChoice(issue) ? `must be one of ${issue.options.join(', ')}` : noneOf(issue, value);
    case 'invalid_key':
      return `has a name that ${issue.issues.map((one) => sentence(one, issue.path.at(-1))).join(' and ')}`;
    default:
      return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  }
}

function noneOf({ errors, message }: z.core.$ZodIssueInvalidUnion, value: unknown): string {
  const types = errors.flatMap((form) => form.filter(isOfWrongType)) as z.core.$ZodIssueInvalidType[];
  const said = [...new Set(types.map(({ expected }) => article(expected)))];
  if (types.length < errors.length) return message === unsaid ? 'has none of the accepted forms' : message;
  return `must be ${[said.slice(0, -1).join(', '), said.at(-1)].filter(Boolean).join(' or ')}, not ${kindOf(value)}`;
}

/** Whether a name was expected that says which of several forms an object has. */
const isChoice = (issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidUnion & { options: unknown[] } =>
  issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options);

function limit(bound: string, amount: number | bigint, origin: string): string {
  const units = (unit: string) => `must have ${bound} ${amount} ${unit}${amount === 1 ? '' : 's'}`;
  if (origin === 'string') return units('character');
  if (origin === 'array') return units('item');
  return `must be ${bound} ${amount}`;
}

const spoken: Record<string, string> = { int: 'an integer', record: 'an object', null: 'null' };
const article = (type: string) => spoken[type] ?? (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
const kindOf = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : typeof value === 'number' && !Number.isInteger(value)
        ? 'a fraction'
        : article(typeof value);

function valueAt(body: unknown, path: Issue['path']): unknown {
  let value = body;
  for (const step of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function keysAt(schema: z.ZodType, body: unknown, path: Issue['path']): string[] {
  let at = formOf(schema, body);
  path.forEach((step, n) => {
    const value = valueAt(body, path.slice(0, n + 1));
    if (at instanceof z.ZodArray) at = formOf(at.element as z.ZodType, value);
    else at = formOf((at instanceof z.ZodObject && at.shape[step]) || z.unknown(), value);
  });
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** What a schema says of a value: of several forms the one that the value names. */
function formOf(schema: z.ZodType, value: unknown): z.ZodType {
  const { inner } = unwrap(schema);
  if (!(inner instanceof z.ZodDiscriminatedUnion)) return inner;
  const { discriminator } = inner.def;
  const forms = inner.options as readonly z.ZodObject[];
  const named = valueAt(value, [discriminator]);
  return forms.find(({ shape }) => (shape[discriminator] as z.ZodType).safeParse(named).success) ?? inner;
}
