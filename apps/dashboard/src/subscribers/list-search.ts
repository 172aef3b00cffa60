import * as z from 'zod/mini';
import { subscriberStatuses } from './subscriber-status.js';

export const sorts = ['newest', 'oldest', 'email'] as const;
const filtersMax = 100;

export const searchPart = z.object({
  q: z.optional(z.string().check(z.maxLength(200))),
  status: z.optional(z.enum(subscriberStatuses)),
  tag: z.optional(z.string().check(z.maxLength(64))),
  filters: z.optional(z.array(z.looseObject({ type: z.string() })).check(z.maxLength(filtersMax))),
  sort: z.optional(z.enum(sorts)),
});
export type ListSearch = z.output<typeof searchPart>;
