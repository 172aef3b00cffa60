import { z } from 'zod';
import { serviceEnvironment } from '#service-host';

/** What the workflow service must be told beside what every service is. */
export const workflowEnvironment = serviceEnvironment.extend({
  /** How long a run that is due belongs to the process that took it; after a crash it is taken again when this has passed. */
  WORKFLOW_LEASE_SECONDS: z.coerce.number().int().min(1).max(600).default(60),
  /** `host:port,…` that webhooks may reach beside public addresses; for tests and networks of one's own. */
  FETCH_ALLOWED_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => new Set(list.split(',').filter((one) => one !== ''))),
});
export type WorkflowConfig = z.infer<typeof workflowEnvironment>;
