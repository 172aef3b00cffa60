import * as z from 'zod/mini';
import { views } from './view-tabs.js';

/** What of this screen stands in the address. */
export const simulationSearch = z.object({
  step: z.optional(z.string().check(z.maxLength(64))),
  view: z.optional(z.enum(views)),
});
export type SimulationSearch = z.output<typeof simulationSearch>;
