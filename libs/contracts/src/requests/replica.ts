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
} as const satisfies RequestSet['calls'];

export const replicaRequests = (service: Service) => defineRequests(service, calls);
