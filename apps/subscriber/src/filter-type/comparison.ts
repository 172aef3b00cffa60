import { z } from 'zod';
import { literalInPattern } from '../text/text.js';
import type { ConditionScope, FilterOperator, Leaf } from '../filter/filter.js';

/** A text expression over the subscriber, null where there is no value. */
export type Expression = (leaf: Leaf, scope: ConditionScope) => string;

const text = z.union([z.string().max(10_000), z.number(), z.boolean()]);
/** Refuses an empty text: it is part of every value and would select every subscriber. */
const part = z.union([z.string().min(1).max(10_000), z.number(), z.boolean()]);
const texts = z.array(text).min(1).max(1000);
const literal = (value: unknown) => literalInPattern(String(value).normalize('NFC'));

/** Normalizes a whole value as stored values are; with blanks around it, it would match none. */
const whole = (value: unknown) => String(value).normalize('NFC').trim();

/** Only a text with letters can equal another one that is written differently; numbers need not be folded a million times. */
const hasCase = (value: string) => value.toLowerCase() !== value.toUpperCase();

/** Case is ignored; negative operators match subscribers without a value. */
export function textOperators(of: Expression, example: string): FilterOperator[] {
  const value = (leaf: Leaf) => whole(leaf.params.value);
  const compare = (operator: string, sign: string): FilterOperator => ({
    operator,
    params: { value: text },
    example: { value: example },
    condition: (leaf, scope) => {
      const [have, wanted] = [of(leaf, scope), scope.bind(value(leaf), 'text')];
      return hasCase(value(leaf)) ? `lower(${have}) ${sign} lower(${wanted})` : `${have} ${sign} ${wanted}`;
    },
  });
  const like = (operator: string, pattern: (text: string) => string, negative = false): FilterOperator => ({
    operator,
    params: { value: part },
    example: { value: example },
    condition: (leaf, scope) => {
      const bound = scope.bind(pattern(literal(leaf.params.value)), 'text');
      const matches = `lower(${of(leaf, scope)}) like lower(${bound})`;
      return negative ? `(${matches}) is not true` : matches;
    },
  });
  const oneOf = (operator: string, negative = false): FilterOperator => ({
    operator,
    params: { values: texts },
    example: { values: [example] },
    condition: (leaf, scope) => {
      const values = (leaf.params.values as unknown[]).map(whole);
      const folded = `array(select lower(v) from unnest(${scope.bind(values, 'text[]')}) v)`;
      const matches = `lower(${of(leaf, scope)}) = any(${folded})`;
      return negative ? `(${matches}) is not true` : matches;
    },
  });
  return [
    compare('EQUALS', '='),
    compare('NOT_EQUALS', 'is distinct from'),
    like('CONTAINS', (part) => `%${part}%`),
    like('NOT_CONTAINS', (part) => `%${part}%`, true),
    like('STARTS_WITH', (part) => `${part}%`),
    like('ENDS_WITH', (part) => `%${part}`),
    oneOf('IN'),
    oneOf('NOT_IN', true),
    ...emptiness(of),
  ];
}

export function emptiness(of: Expression): FilterOperator[] {
  return [
    {
      operator: 'IS_EMPTY',
      params: {},
      example: {},
      condition: (leaf, scope) => `${of(leaf, scope)} is null`,
    },
    {
      operator: 'IS_NOT_EMPTY',
      params: {},
      example: {},
      condition: (leaf, scope) => `${of(leaf, scope)} is not null`,
    },
  ];
}
