import { z } from 'zod';
import type { CallContract } from '../define.js';

export const named = z.object({ id: z.string(), name: z.string() });
export type Named = z.infer<typeof named>;

/** Records requested by id or by name; `newest` adds that number of the newest ones. */
export const namesAsked = z.strictObject({
  ids: z.array(z.string()),
  names: z.array(z.string()),
  newest: z.int().min(0).max(10).default(0),
});
export type NamesAsked = z.infer<typeof namesAsked>;

/**
 * Asks which records would break if what these references name were deleted: `tag:tag_…`, `field:fld_…`,
 * `segment:seg_…`, `sender:snd_…`, `domain:dom_…`.
 */
export const filterUsers = {
  input: z.strictObject({ references: z.array(z.string()) }),
  output: z.object({ users: z.array(named) }),
  errors: [],
  transaction: 'read',
} as const satisfies CallContract;
