import { z } from 'zod';
import { serviceEnvironment } from '#service-host';

export const workflowEnvironment = serviceEnvironment.extend({
  WORKFLOW_LEASE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(600)
    .default(60)
    .describe(
      'Seconds for which a due run belongs to the process that claimed it. After a crash, another process continues when they have passed.',
    ),
  FETCH_ALLOWED_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => new Set(list.split(',').filter((one) => one !== '')))
    .describe('`host:port`, separated by commas, that fetches and webhooks may reach in addition to public addresses.'),
});
export type WorkflowConfig = z.infer<typeof workflowEnvironment>;
