import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import type { RequestSet, Service } from '../define.js';

const deadLetter = z.object({
  id: z.string(),
  organizationId: z.string(),
  /** Name of the event that could not be applied. */
  event: z.string(),
  error: z.string(),
  attempts: z.int(),
  failedAt: timestamp,
});
export type DeadLetter = z.infer<typeof deadLetter>;

const calls = {
  /** Lists events that a service failed to apply and that were not replayed, the oldest first. */
  list_dead_letters: {
    input: z.strictObject({ limit: z.int().min(1).max(1000).default(100) }),
    output: z.object({ deadLetters: z.array(deadLetter), total: z.int() }),
    errors: [],
    transaction: 'read',
  },
  /** Applies events that were put aside: those named, or all. Each by itself; what fails again stays, with its new error. */
  replay_dead_letters: {
    input: z.strictObject({ ids: z.array(z.string()).optional() }),
    output: z.object({ replayed: z.int(), failed: z.array(deadLetter) }),
    errors: [],
    transaction: 'own',
  },
} as const satisfies RequestSet['calls'];

/** What every service answers about the events that it could not apply. */
export const deadLetterRequests = (service: Service) => defineRequests(service, calls);
