import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import type { RequestSet, Service } from '../define.js';

export const featureStateSchema = z.object({
  name: z.string(),
  /** WAITING until all replicas concerned know it; DISABLED while an operator keeps it off. */
  state: z.enum(['ENABLED', 'WAITING', 'DISABLED']),
  enabledAt: timestamp.nullable(),
});
export type FeatureState = z.infer<typeof featureStateSchema>;

const openGap = z.object({
  source: z.string(),
  lane: z.int(),
  /** Numbers of the messages around the gap. */
  afterNumber: z.int(),
  beforeNumber: z.int(),
  detectedAt: timestamp,
});

const calls = {
  /** Returns the least protocol version of the service's live replicas; 0 when one is older than these versions. */
  get_protocol_version: {
    input: z.strictObject({}),
    output: z.object({ version: z.int() }),
    errors: [],
    transaction: 'read',
  },
  /** Lists the formats that this service writes once all replicas concerned can read them. */
  list_features: {
    input: z.strictObject({}),
    output: z.object({ features: z.array(featureStateSchema) }),
    errors: [],
    transaction: 'read',
  },
  /** Keeps a format off, or lets it be enabled again when all replicas know it. Other names change nothing. */
  set_feature: {
    input: z.strictObject({ name: z.string(), isAllowed: z.boolean() }),
    output: z.object({ features: z.array(featureStateSchema) }),
    errors: [],
    transaction: 'write',
  },
  /** Lists gaps in the events that this service applied, the oldest first, and how many batches wait in its outbox. */
  get_event_state: {
    input: z.strictObject({ limit: z.int().min(1).max(1000).default(100) }),
    output: z.object({
      gaps: z.array(openGap),
      /** Services that lack events which the outbox therefore keeps, and since when; not from older versions. */
      behind: z.array(z.object({ consumer: z.string(), since: timestamp })).optional(),
      outbox: z.object({ batches: z.int(), oldestSeconds: z.number() }),
    }),
    errors: [],
    transaction: 'read',
  },
  /** Marks all gaps as resolved, after an operator has repaired what they concern or accepts it. */
  resolve_event_gaps: {
    input: z.strictObject({}),
    output: z.object({ resolved: z.int() }),
    errors: [],
    transaction: 'write',
  },
} as const satisfies RequestSet['calls'];

export const replicaRequests = (service: Service) => defineRequests(service, calls);
