import { z } from 'zod';
import { contentThreads, serviceEnvironment } from '#service-host';

const environment = serviceEnvironment.extend({
  /** How long a due campaign belongs to the process that took it; after a crash it is resumed when this has passed. */
  CAMPAIGN_LEASE_SECONDS: z.coerce.number().min(1).max(600).default(30),
  ...contentThreads,
  /** Where hosted images are found. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
  /** `host:port,…` that fetching tools may reach beside public addresses; for tests and networks of one's own. */
  FETCH_ALLOWED_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => new Set(list.split(',').filter((one) => one !== ''))),
  /** An S3-compatible storage for hosted images, such as `https://s3.eu-central-1.amazonaws.com`; the database without. */
  S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  /** `<access key id>:<secret access key>`. */
  S3_KEY: z
    .string()
    .regex(/^[^:]+:.+$/, 'must be <access key id>:<secret access key>')
    .transform((text) => {
      const at = text.indexOf(':');
      return { accessKeyId: text.slice(0, at), secretAccessKey: text.slice(at + 1) };
    })
    .optional(),
});

/** What the campaign service must be told beside what every service is. */
export const campaignEnvironment = environment.refine(
  ({ S3_ENDPOINT, S3_BUCKET, S3_KEY }) =>
    new Set([S3_ENDPOINT, S3_BUCKET, S3_KEY].map((one) => one === undefined)).size === 1,
  { error: 'S3_ENDPOINT, S3_BUCKET and S3_KEY belong together' },
);
export type CampaignConfig = z.infer<typeof campaignEnvironment>;
