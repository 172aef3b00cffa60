import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import type { RequestSet, Service } from '../define.js';

const eventGap = z.object({
  source: z.string(),
  lane: z.int(),
  /** Numbers of the messages around the gap. */
  afterNumber: z.int(),
  beforeNumber: z.int(),
  detectedAt: timestamp,
  /** Null while it is open. */
  resolvedAt: timestamp.nullable(),
  /** Messages that a repair did not find; null without a repair. */
  missing: z.int().nullable(),
});
export type EventGapRow = z.infer<typeof eventGap>;

const page = {
  /** The service whose events were missed. */
  source: z.string(),
  /** The `next` of the call before; null begins at `from`. */
  after: z.string().nullable().default(null),
  /** Leaves out what was written before; null begins at the oldest that the source keeps. */
  from: timestamp.nullable().default(null),
};

const messageNumbers = z.array(z.object({ lane: z.int(), numbers: z.array(z.int()) }));

/** A workflow that an event would have started, had it not been missed. */
const missedStart = z.object({
  organizationId: z.string(),
  workflowId: z.string(),
  subscriberId: z.string(),
  event: z.string(),
  at: timestamp,
});
export type MissedStart = z.infer<typeof missedStart>;

const calls = {
  /** Lists the newest gaps in the events that this service applied. */
  list_event_gaps: {
    input: z.strictObject({ limit: z.int().min(1).max(1000).default(1000) }),
    output: z.object({ gaps: z.array(eventGap) }),
    errors: [],
    transaction: 'read',
  },
  /** Returns how far this service has applied the events of a source, for the source's outbox. */
  get_applied_numbers: {
    input: z.strictObject({ source: z.string() }),
    output: z.object({
      /** Whether it lacks some of any source. */
      hasGaps: z.boolean(),
      /** The number of the last message that it applied, of lanes of which it applied any. */
      lanes: z.array(z.object({ lane: z.int(), number: z.int() })),
    }),
    errors: [],
    transaction: 'read',
  },
  /** Finds event batches of this service's outbox by the numbers of the messages that carried them. */
  list_missed_batches: {
    input: z.strictObject({
      missed: z.array(z.object({ lane: z.int(), afterNumber: z.int(), beforeNumber: z.int() })).max(1000),
      after: page.after,
      from: page.from,
    }),
    output: z.object({
      batches: z.array(
        z.object({
          outboxId: z.string(),
          lane: z.int(),
          number: z.int(),
          events: z.array(z.record(z.string(), z.unknown())),
        }),
      ),
      /** Null at the end; there may be no batch before it. */
      next: z.string().nullable(),
    }),
    errors: [],
    transaction: 'read',
  },
  /** Applies a part of the events that this service missed of a source, each once, from the outbox of the source. */
  apply_missed_events: {
    input: z.strictObject(page),
    output: z.object({
      /** How many of each were applied now; those that an earlier repair applied do not count. */
      applied: z.array(z.object({ event: z.string(), count: z.int() })),
      /** How many could not be applied and became dead letters. */
      deadLetters: z.int(),
      /** The messages that were found, by lane. */
      found: messageNumbers,
      next: z.string().nullable(),
    }),
    errors: [],
    transaction: 'own',
  },
  /** Lists what a part of the missed events would have started and no repair starts. */
  list_missed_starts: {
    input: z.strictObject(page),
    output: z.object({ starts: z.array(missedStart), next: z.string().nullable() }),
    errors: [],
    transaction: 'own',
  },
  /** Records what a repair did not find. Gaps of which nothing is missing end, and with `isResolved` the others too. */
  conclude_event_repair: {
    input: z.strictObject({
      source: z.string(),
      gaps: z.array(z.object({ lane: z.int(), afterNumber: z.int(), missing: z.int() })).max(1000),
      isResolved: z.boolean(),
    }),
    output: z.object({ open: z.int() }),
    errors: [],
    transaction: 'write',
  },
} as const satisfies RequestSet['calls'];

export const eventRepairRequests = (service: Service) => defineRequests(service, calls);
