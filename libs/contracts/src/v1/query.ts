import { z } from 'zod';

/** A number of a query string, which comes as text; what is no number fails as text of that schema. */
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
    z.array(z.enum(values)).min(1).optional(),
  );
