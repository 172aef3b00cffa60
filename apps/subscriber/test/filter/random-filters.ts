import type { Filter } from '#contracts';
import { isLater } from '../../src/filter-type/day.js';
import { filterTypes } from '../../src/filter/filter-table.js';
import { campaignNames, fieldNames, fieldText, someText, tagNames, urls, workflowNames } from './population.js';
import type { Person } from './population.js';
import type { Random } from './random.js';

export interface Row {
  type: string;
  field: string;
  operator: string;
  params: readonly string[];
}

/** Every listed operator: each must be drawn. */
export const rows: readonly Row[] = filterTypes.flatMap(({ type, fields }) =>
  fields.flatMap(({ field, operators }) =>
    operators.map(({ operator, params }) => ({ type, field, operator, params: Object.keys(params) })),
  ),
);

export interface Ground {
  people: readonly Person[];
  segments: readonly string[];
  /** Wire ids of what filters name, by kind and name (`tag Red`). */
  ids: ReadonlyMap<string, string>;
  now: number;
}

/** A filter of one operator, with values that generated subscribers have, nearly have, or do not have. */
export function randomLeaf(row: Row, random: Random, ground: Ground): Filter {
  const value: Record<string, () => unknown> = {
    value: () => (isNumber(row) ? random.int(-2, 8) / random.pick([1, 1, 2]) : anyText(row, random, ground)),
    values: () => Array.from({ length: random.int(1, 4) }, () => anyText(row, random, ground)),
    min: () => random.int(-5, 4),
    max: () => random.int(0, 10),
    date: () => moment(random, ground),
    from: () => moment(random, ground),
    to: () => moment(random, ground),
    amount: () => random.int(1, 60),
    unit: () => random.pick(['HOURS', 'days', 'WEEKS', 'MONTHS']),
    inLastDays: () => random.int(1, 40),
    minCount: () => random.int(1, 3),
    url: () => random.pick(urls),
  };
  const optional = row.type === 'EVENT' || row.type === 'CAMPAIGN';
  const drawn = row.params.filter(() => !optional || random.chance(0.5)).map((name) => [name, value[name]!()]);
  const params = Object.fromEntries(drawn) as Record<string, unknown>;
  return { ...outer(row, random, ground), operator: row.operator, ...inOrder(params) };
}

/** Spans that end before they begin are refused. */
function inOrder(params: Record<string, unknown>): Record<string, unknown> {
  const { min, max, from, to } = params as { min: number; max: number; from: string; to: string };
  if (min > max) return { ...params, min: max, max: min };
  return from !== undefined && isLater(from, to) ? { ...params, from: to, to: from } : params;
}

function outer(row: Row, random: Random, ground: Ground): Filter {
  const { type, field } = row;
  switch (type) {
    case 'TAG':
      return { type, field, ...someTags(random, ground) };
    case 'FIELD':
      return { type, valueType: field, ...reference('field', random.pick(fieldNames), random, ground) };
    case 'SEGMENT':
      return { type, ...reference('segment', random.pick(ground.segments), random, ground) };
    case 'CAMPAIGN': {
      const named = reference('campaign', random.pick(campaignNames), random, ground);
      const inLastDays = random.chance(0.5) ? { inLastDays: random.int(1, 70) } : {};
      return { type, ...(random.chance(0.3) ? { any: true } : named), ...inLastDays };
    }
    case 'WORKFLOW':
      return { type, ...reference('workflow', random.pick(workflowNames), random, ground) };
    default:
      return { type, field };
  }
}

/** By id, or by name in any case. */
function reference(kind: string, name: string, random: Random, { ids }: Ground): Record<string, string> {
  if (random.chance(0.3)) return { [`${kind}Id`]: ids.get(`${kind} ${name}`)! };
  return { [`${kind}Name`]: random.chance(0.5) ? name : name.toUpperCase() };
}

function someTags(random: Random, ground: Ground): { tagIds?: string[]; tagNames?: string[] } {
  const parts = Array.from({ length: random.int(1, 3) }, () => reference('tag', random.pick(tagNames), random, ground));
  const [byId, byName] = [parts.flatMap(({ tagId }) => tagId ?? []), parts.flatMap(({ tagName }) => tagName ?? [])];
  return { ...(byId.length > 0 && { tagIds: byId }), ...(byName.length > 0 && { tagNames: byName }) };
}

/** Valid texts for a country: others are refused. */
const countries = [
  'FR',
  'fr',
  'fra',
  'FRANCE',
  'DE',
  'Germany',
  'DEU',
  'usa',
  'United States',
  'U.S.',
  'JP',
  'Côte d’Ivoire',
];
const countryParts = ['fr', 'unit', 'us', 'e', 'a', 'japan', 'UNITED STATES'];
const countryTexts = (operator: string): string[] => {
  if (/EQUALS|IN$/.test(operator)) return countries;
  if (operator === 'STARTS_WITH') return [...countryParts, 'ger', 'd', 'united st'];
  return [...countryParts.slice(2), 'rance', 'MANY', 'states'];
};

const isNumber = ({ type, field }: Row) => type === 'NUMBER' || (type === 'FIELD' && field === 'NUMBER');

function anyText({ type, field, operator }: Row, random: Random, { people, now }: Ground): string {
  if (field === 'country') return random.pick(countryTexts(operator));
  const person = random.pick(people);
  const known = type === 'STRING' ? person[field as 'email' | 'name'] : Object.values(person.fields)[0];
  if (!known || random.chance(0.3)) return random.chance(0.5) ? someText(random) : fieldText(random, now);
  const from = random.int(0, known.length - 1);
  const part = random.chance(0.5) ? known : known.slice(from, from + random.int(1, 4));
  return random.pick([part, part.toUpperCase(), part.toLowerCase()]) || 'x';
}

/** Mostly a day or an instant of a generated subscriber, so that the bounds themselves are tried. */
function moment(random: Random, { people, now }: Ground): string {
  const { createdAt, updatedAt, activity } = random.pick(people);
  const otherTenant = [createdAt, updatedAt, activity?.lastEmailedAt, activity?.lastOpenedAt, activity?.lastClickedAt];
  const at = new Date(random.pick(otherTenant) ?? now - random.int(0, 400 * 86_400_000)).toISOString();
  return random.chance(0.6) ? at.slice(0, 10) : at;
}

/** A list of filters made of these leaves, grouped at random to the permitted depth. */
export function randomTree(leaves: readonly Filter[], random: Random, depth = 0): Filter[] {
  if (depth === 3 || leaves.length < 2) return [...leaves];
  const parts: Filter[] = [];
  for (let at = 0; at < leaves.length;) {
    const size = random.int(1, leaves.length - at);
    const inner = leaves.slice(at, at + size);
    at += size;
    if (random.chance(0.5)) parts.push(...inner);
    else
      parts.push({ type: 'group', match: random.pick(['ANY', 'ALL']), filters: randomTree(inner, random, depth + 1) });
  }
  return parts;
}
