import { z } from 'zod';

/** What the subjects, streams and buckets of one cell begin with; it is the cell's name as well. */
export const namespace = z.string().regex(/^[a-z0-9_-]+$/, 'must be lower-case letters, digits, - and _');

/** The namespaces of the cells beside the own one, with commas between, as an environment names them. */
export const otherCells = z
  .string()
  .default('')
  .transform((list) => list.split(',').filter((one) => one !== ''))
  .pipe(z.array(namespace));
