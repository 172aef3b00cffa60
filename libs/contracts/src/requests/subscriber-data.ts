import { z } from 'zod';
import { pageSize } from '../common.js';
import { defineRequests } from '../define.js';
import type { RequestSet, Service } from '../define.js';

const calls = {
  /** Lists the records of one subscriber that a service keeps, in the order of their ids, after the one that is named. */
  list_subscriber_data: {
    input: z.strictObject({
      subscriberId: z.string(),
      after: z.string().nullable().default(null),
      limit: pageSize(500, 200),
    }),
    output: z.object({
      records: z.array(z.looseObject({ id: z.string() })),
      next: z.string().nullable(),
    }),
    errors: [],
    transaction: 'read',
  },
} as const satisfies RequestSet['calls'];

export const subscriberDataRequests = (service: Service) => defineRequests(service, calls);
