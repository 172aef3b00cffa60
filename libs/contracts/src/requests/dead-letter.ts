import { z } from 'zod';
import { pageSize, timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import type { RequestSet, Service } from '../define.js';

export const deadLetterSchema = z.object({
  id: z.string(),
  organizationId: z.string(),
  event: z.string(),
  error: z.string(),
  attempts: z.int(),
  failedAt: timestamp,
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

const calls = {
  /** Lists events that a service failed to apply and that were not replayed, the oldest first. */
  list_dead_letters: {
    input: z.strictObject({ limit: z.int().min(1).max(1000).default(100) }),
    output: z.object({ deadLetters: z.array(deadLetterSchema), total: z.int() }),
    errors: [],
    transaction: 'read',
  },
  /**
   * Applies events that were put aside, those named or all, each by itself; one that fails again stays with its new
   * error.
   */
  replay_dead_letters: {
    input: z.strictObject({ ids: z.array(z.string()).optional() }),
    output: z.object({ replayed: z.int(), failed: z.array(deadLetterSchema) }),
    errors: [],
    transaction: 'own',
  },
  /** Lists the open dead letters of the caller's organization in the order of their ids, after the one that is named. */
  list_own_dead_letters: {
    input: z.strictObject({
      ids: z.array(z.string()).max(100).optional(),
      event: z.string().optional(),
      after: z.string().nullable().default(null),
      limit: pageSize(1000, 100),
    }),
    output: z.object({ deadLetters: z.array(deadLetterSchema), total: z.int() }),
    errors: [],
    transaction: 'read',
  },
  /** Returns a dead letter of the caller's organization, open or not, with its event; null for an unknown one. */
  find_own_dead_letter: {
    input: z.strictObject({ id: z.string() }),
    output: z.object({
      deadLetter: deadLetterSchema
        .extend({
          state: z.enum(['OPEN', 'RETRIED', 'DISCARDED']),
          payload: z.record(z.string(), z.unknown()),
        })
        .nullable(),
    }),
    errors: [],
    transaction: 'read',
  },
  discard_own_dead_letters: {
    input: z.strictObject({ ids: z.array(z.string()).max(100), reason: z.string() }),
    output: z.object({ discarded: z.int() }),
    errors: [],
    transaction: 'write',
  },
} as const satisfies RequestSet['calls'];

export const deadLetterRequests = (service: Service) => defineRequests(service, calls);
