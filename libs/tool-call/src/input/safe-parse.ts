import type { z } from 'zod';

/**
 * Checks a value against a schema. zod compares the length of any value that has one, so that an object with an odd
 * `length` in the place of text makes it throw. Such a value is checked by its type alone.
 */
export function safeParse<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return schema.safeParse(withoutOddLengths(value));
  }
}

/** A copy without properties named `length` that are no numbers. */
function withoutOddLengths(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutOddLengths);
  const kept = Object.entries(value).filter(([key, one]) => key !== 'length' || typeof one === 'number');
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutOddLengths(one)]));
}
