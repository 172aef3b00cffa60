import { Temporal } from 'temporal-polyfill';
import type { Filter } from '#contracts';
import type { CampaignFacts, Person } from './population.js';

/** Data that filters are evaluated with, beside the subscriber. */
export interface World {
  now: number;
  zone: string;
  /** Filters of saved segments, by name. */
  segments: Record<string, Filter[]>;
  /** Wire ids of what filters name, by kind and name (`tag Red`). */
  ids: ReadonlyMap<string, string>;
}

/** A filter with all possible value fields; its operator decides which ones it has. */
interface Words {
  type: string;
  field?: string;
  operator?: string;
  match?: string;
  filters?: Words[];
  value?: unknown;
  values?: unknown[];
  min?: number;
  max?: number;
  date?: string;
  from?: string;
  to?: string;
  amount?: number;
  unit?: string;
  inLastDays?: number;
  minCount?: number;
  valueType?: string;
  any?: boolean;
  url?: string;
  tagNames?: string[];
  tagIds?: string[];
  /** One record by its kind: `fieldName`, `segmentId`, … */
  [reference: `${string}Id` | `${string}Name`]: string | undefined;
}
const dayMs = 86_400_000;

/** The meaning of filters in plain TypeScript, written from their description and not from the SQL. */
export const meetsAll = (person: Person, filters: readonly Filter[], world: World): boolean =>
  filters.every((filter) => meets(person, filter as unknown as Words, world));

function meets(person: Person, filter: Words, world: World): boolean {
  switch (filter.type) {
    case 'GROUP': {
      const inner = filter.filters!;
      return filter.match === 'ANY'
        ? inner.some((one) => meets(person, one, world))
        : inner.every((one) => meets(person, one, world));
    }
    case 'STRING':
      if (filter.field === 'country') return country(person.country, filter);
      return text(person[filter.field as 'email' | 'name'], filter);
    case 'NUMBER':
      return number(person.activity?.[filter.field as 'emailCount'] ?? 0, filter);
    case 'DATE': {
      const field = filter.field as 'createdAt' | 'lastOpenedAt';
      const at = field in person ? person[field as 'createdAt'] : (person.activity?.[field as 'lastOpenedAt'] ?? null);
      return date(at === null ? null : { at, day: localDay(at, world.zone) }, filter, world);
    }
    case 'TAG': {
      const byId = filter.tagIds?.map((id) => nameOf('tag', id, undefined, world)) ?? [];
      const has = [...byId, ...(filter.tagNames ?? [])].map((name) =>
        person.tags.some((tag) => tag.toLowerCase() === name.toLowerCase()),
      );
      if (filter.operator === 'BELONGS_TO_ANY') return has.includes(true);
      return filter.operator === 'BELONGS_TO_ALL' ? !has.includes(false) : !has.includes(true);
    }
    case 'FIELD':
      return field(person, filter, world);
    case 'SEGMENT':
      return (
        (filter.operator === 'INCLUDE') === meetsAll(person, world.segments[named('segment', filter, world)]!, world)
      );
    case 'CAMPAIGN':
      return campaign(person, filter, world);
    case 'WORKFLOW': {
      const runs = person.workflows.get(named('workflow', filter, world));
      if (filter.operator === 'NEVER_ENTERED') return !runs;
      if (filter.operator === 'COMPLETED') return (runs?.completed ?? 0) > 0;
      return (filter.operator === 'IN') === (runs?.active ?? 0) > 0;
    }
    case 'EVENT': {
      const since = filter.inLastDays === undefined ? -Infinity : world.now - Number(filter.inLastDays) * dayMs;
      const count = person.events.filter(({ type, at }) => type === filter.field && at >= since).length;
      return (filter.operator === 'HAPPENED') === count >= Number(filter.minCount ?? 1);
    }
    case 'SYSTEM':
      return system(person, filter.operator!, world.now);
    default:
      throw new Error(`no evaluator for ${filter.type}`);
  }
}

/** The record a filter names, by the name that the world has for it. */
const named = (kind: string, filter: Words, world: World): string =>
  nameOf(kind, filter[`${kind}Id`], filter[`${kind}Name`], world);

function nameOf(kind: string, id: string | undefined, name: string | undefined, { ids }: World): string {
  for (const [known, knownId] of ids) {
    const [of, ...words] = known.split(' ');
    if (of !== kind) continue;
    const knownName = words.join(' ');
    if (knownId === id || knownName.toLowerCase() === name?.toLowerCase()) return knownName;
  }
  throw new Error(`no ${kind} is ${id ?? name}`);
}

/**
 * Negative operators except NOT_RECEIVED select among recipients of the campaign; with `any`, those with no click or
 * open at all.
 */
function campaign(person: Person, filter: Words, world: World): boolean {
  const since = filter.inLastDays === undefined ? -Infinity : world.now - filter.inLastDays * dayMs;
  const name = filter.any ? null : named('campaign', filter, world);
  const facts = [...person.campaigns].filter(([one]) => name === null || one === name).map(([, fact]) => fact);
  const some = (when: (fact: CampaignFacts) => number | null) =>
    facts.some((fact) => {
      const at = when(fact);
      return at !== null && at >= since;
    });
  const arrivedLast = ({ sentAt, bouncedAt }: CampaignFacts) => sentAt !== null && (bouncedAt ?? -Infinity) < sentAt;
  const received = some((fact) => (arrivedLast(fact) ? fact.sentAt : null));
  switch (filter.operator) {
    case 'RECEIVED':
      return received;
    case 'NOT_RECEIVED':
      return !received;
    case 'OPENED':
      return some(({ lastOpenedAt }) => lastOpenedAt);
    case 'NOT_OPENED':
      return received && !some(({ lastOpenedAt }) => lastOpenedAt);
    case 'NOT_CLICKED':
      return received && !some(({ lastClickedAt }) => lastClickedAt);
    case 'BOUNCED':
      return some((fact) => (arrivedLast(fact) ? null : fact.bouncedAt));
    default:
      if (filter.url === undefined) return some(({ lastClickedAt }) => lastClickedAt);
      return person.events.some(({ at, click }) => {
        if (!click || click.campaign === null || click.machine || at < since) return false;
        return click.url === filter.url && (name === null || click.campaign === name);
      });
  }
}

/** Countries of the generated subscribers: by code, other codes of the whole country, and all names. */
const spellings: Record<string, { other: string[]; names: string[] }> = {
  FR: { other: ['fra'], names: ['france'] },
  DE: { other: ['deu'], names: ['germany'] },
  US: { other: ['usa'], names: ['united states', 'united states of america', 'usa', 'u.s.', 'us'] },
};

/** Compares by code or name; spaces and full stops are ignored. */
function country(code: string | null, filter: Words): boolean {
  const bare = (value: unknown) => String(value).toLowerCase().replace(/[ .]/g, '');
  const { other, names } = code === null ? { other: [], names: [] } : spellings[code]!;
  const searched = [...(code === null ? [] : [code]), ...names].map(bare);
  const means = (value: unknown) => [...searched, ...other].includes(bare(value));
  const wanted = bare(filter.value);
  switch (filter.operator) {
    case 'EQUALS':
      return means(filter.value);
    case 'NOT_EQUALS':
      return !means(filter.value);
    case 'CONTAINS':
      return searched.some((one) => one.includes(wanted));
    case 'NOT_CONTAINS':
      return !searched.some((one) => one.includes(wanted));
    case 'STARTS_WITH':
      return searched.some((one) => one.startsWith(wanted));
    case 'ENDS_WITH':
      return searched.some((one) => one.endsWith(wanted));
    case 'IN':
      return filter.values!.some(means);
    case 'NOT_IN':
      return !filter.values!.some(means);
    default:
      return (filter.operator === 'IS_EMPTY') === (code === null);
  }
}

function text(value: string | null | undefined, filter: Words): boolean {
  const have = value?.toLowerCase() ?? null;
  const wanted = String(filter.value).toLowerCase();
  // A whole value has no blanks around it, like every stored value.
  const among = filter.values?.some((one) => String(one).trim().toLowerCase() === have);
  switch (filter.operator) {
    case 'EQUALS':
      return have === wanted.trim();
    case 'NOT_EQUALS':
      return have !== wanted.trim();
    case 'CONTAINS':
      return have?.includes(wanted) ?? false;
    case 'NOT_CONTAINS':
      return !have?.includes(wanted);
    case 'STARTS_WITH':
      return have?.startsWith(wanted) ?? false;
    case 'ENDS_WITH':
      return have?.endsWith(wanted) ?? false;
    case 'IN':
      return among!;
    case 'NOT_IN':
      return !among;
    default:
      return (filter.operator === 'IS_EMPTY') === (have === null);
  }
}

function number(have: number, filter: Words): boolean {
  const wanted = Number(filter.value);
  switch (filter.operator) {
    case 'EQUALS':
      return have === wanted;
    case 'NOT_EQUALS':
      return have !== wanted;
    case 'GREATER_THAN':
      return have > wanted;
    case 'GREATER_OR_EQUAL':
      return have >= wanted;
    case 'LESS_THAN':
      return have < wanted;
    case 'LESS_OR_EQUAL':
      return have <= wanted;
    default:
      return have >= Number(filter.min) && have <= Number(filter.max);
  }
}

interface Moment {
  at: number;
  /** The day it falls on in the organization's zone. */
  day: string;
}

function date(have: Moment | null, filter: Words, { now, zone }: World): boolean {
  if (filter.operator === 'IS_EMPTY' || filter.operator === 'IS_NOT_EMPTY') {
    return (filter.operator === 'IS_EMPTY') === (have === null);
  }
  if (filter.operator === 'NOT_IN_LAST') return !inLast(have, filter, { now, zone });
  if (have === null) return false;
  if (filter.operator === 'IN_LAST') return inLast(have, filter, { now, zone });
  // Days are compared as days, instants as instants.
  const order = (word: string) =>
    word.length === 10 ? (have.day < word ? -1 : have.day > word ? 1 : 0) : Math.sign(have.at - Date.parse(word));
  if (filter.operator === 'BEFORE') return order(filter.date!) < 0;
  if (filter.operator === 'AFTER') return order(filter.date!) > 0;
  return order(filter.from!) >= 0 && order(filter.to!) <= 0;
}

function inLast(have: Moment | null, filter: Words, { now, zone }: Pick<World, 'now' | 'zone'>): boolean {
  const span = { [String(filter.unit).toLowerCase()]: Number(filter.amount) };
  const start = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).subtract(span);
  return have !== null && have.at >= start.epochMilliseconds;
}

function field(person: Person, filter: Words, world: World): boolean {
  const value = person.fields[named('field', filter, world)];
  const { operator } = filter;
  if (operator === 'IS_EMPTY' || operator === 'IS_NOT_EMPTY')
    return (operator === 'IS_EMPTY') === (value === undefined);
  const valueType = String(filter.valueType ?? 'TEXT');
  if (valueType === 'TEXT') return text(value, filter);
  if (valueType === 'NUMBER') {
    if (value === undefined) return operator === 'NOT_EQUALS';
    return /^[+-]?\d+([.]\d+)?$/.test(value) && number(Number(value), filter);
  }
  return date(value === undefined ? null : momentOf(value, world.zone), filter, world);
}

function momentOf(value: string, zone: string): Moment | null {
  try {
    const plain = Temporal.PlainDateTime.from(value.replace('Z', ''));
    if (!/^\d{4}-\d\d-\d\d/.test(value)) return null;
    const at = value.endsWith('Z')
      ? Date.parse(value)
      : plain.toZonedDateTime(zone, { disambiguation: 'later' }).epochMilliseconds;
    return { at, day: localDay(at, zone) };
  } catch {
    return null;
  }
}

const localDay = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at);

function system({ activity: a, ...person }: Person, operator: string, now: number): boolean {
  const last = Math.max(a?.lastOpenedAt ?? 0, a?.lastClickedAt ?? 0);
  switch (operator) {
    case 'IS_ENGAGED':
      return last >= now - 90 * dayMs;
    case 'IS_INACTIVE':
      return (a?.emailCount ?? 0) >= 5 && last < now - 180 * dayMs;
    case 'IS_SUSPECT':
      return person.isDisposable || person.isRole || (a !== null && a.machineClickCount > 0 && a.openCount === 0);
    default:
      return (a?.emailCount ?? 0) === 0;
  }
}
