import { z } from 'zod';
import { defineRequests } from '../define.js';
import type { RequestSet, Service } from '../define.js';
import { retainedNames } from '../retention.js';

/** Months by data; data without an entry are kept as long as the installation says. */
export const retentionMonths = z.partialRecord(z.enum(retainedNames), z.int());
export type RetentionMonths = z.infer<typeof retentionMonths>;

const calls = {
  /** The installation's periods of a service, and what of the caller's organization goes with the given ones. */
  get_retention_state: {
    input: z.strictObject({ months: retentionMonths }),
    output: z.object({
      retention: z.array(
        z.object({ data: z.enum(retainedNames), installation: z.int().nullable(), deletesNow: z.int() }),
      ),
    }),
    errors: [],
    transaction: 'read',
  },
} as const satisfies RequestSet['calls'];

export const retentionRequests = (service: Service) => defineRequests(service, calls);

export const retentionSettingRequests = defineRequests('domain', {
  /** Lists all organizations in the order of their ids, with the periods they have set. */
  list_retention: {
    input: z.strictObject({ after: z.string().nullable(), limit: z.int().min(1).max(1000) }),
    output: z.object({ organizations: z.array(z.object({ id: z.string(), months: retentionMonths })) }),
    errors: [],
    transaction: 'read',
  },
});
