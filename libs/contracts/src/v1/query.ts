import { z } from 'zod';

/** A number of a query string, which arrives as text; a text without a number fails as text of that schema. */
export const queryNumber = <S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (typeof given === 'string' && /^-?\d+$/.test(given) ? Number(given) : given), schema);

/** Values with commas between, in any case; `all` is the same as none. */
export const commaList = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.preprocess(
    (given) => {
      if (typeof given !== 'string') return given;
      const named = given.split(',').flatMap((one) => one.trim().toUpperCase() || []);
      return named.length === 0 || named.includes('ALL') ? undefined : named;
    },
    z.array(z.enum(values)).min(1).max(100).optional(),
  );

/** A list of a body, or of a query string: as a JSON array, repeated, or a single value. */
export const textList = <S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (typeof given === 'string' ? listOf(given) : given), schema);

/** An instant: any date or time of ISO 8601, as milliseconds in UTC; other text fails as text of that schema. */
export const queryInstant = <S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => {
    if (typeof given !== 'string' || !/^\d{4}-\d\d-\d\d/.test(given) || Number.isNaN(Date.parse(given))) return given;
    return new Date(given).toISOString();
  }, schema);

function listOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  if (!text.trim().startsWith('[')) return [text];
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
