import { z } from 'zod';
import { serviceEnvironment } from '#service-host';

/** What the campaign service must be told beside what every service is. */
export const campaignEnvironment = serviceEnvironment.extend({
  /** How long a due campaign belongs to the process that took it; after a crash it is resumed when this has passed. */
  CAMPAIGN_LEASE_MS: z.coerce.number().int().min(1_000).max(600_000).default(30_000),
  /** Where hosted images are found. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
  /** `host:port,…` that fetching tools may reach beside public addresses; for tests and networks of one's own. */
  FETCH_ALLOW: z
    .string()
    .default('')
    .transform((list) => new Set(list.split(',').filter((one) => one !== ''))),
});
export type CampaignConfig = z.infer<typeof campaignEnvironment>;
