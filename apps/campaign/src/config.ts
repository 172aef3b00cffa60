import { z } from 'zod';
import { contentThreads, serviceEnvironment } from '#service-host';

const environment = serviceEnvironment.extend({
  CAMPAIGN_LEASE_SECONDS: z.coerce
    .number()
    .min(1)
    .max(600)
    .default(30)
    .describe(
      'Seconds for which a due campaign belongs to the process that claimed it. After a crash, another process continues when they have passed.',
    ),
  ...contentThreads,
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).describe('Base of links in mail and of the addresses of hosted images.'),
  FETCH_ALLOWED_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => new Set(list.split(',').filter((one) => one !== '')))
    .describe('`host:port`, separated by commas, that fetches and webhooks may reach in addition to public addresses.'),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'S3-compatible storage for hosted images, such as `https://s3.eu-central-1.amazonaws.com`. Without it images lie in PostgreSQL. Set together with `S3_BUCKET` and `S3_KEY`.',
    ),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .optional()
    .describe('Bucket of the storage at `S3_ENDPOINT`.'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the storage at `S3_ENDPOINT`.'),
  S3_KEY: z
    .string()
    .regex(/^[^:]+:.+$/, 'must be <access key id>:<secret access key>')
    .transform((text) => {
      const at = text.indexOf(':');
      return { accessKeyId: text.slice(0, at), secretAccessKey: text.slice(at + 1) };
    })
    .optional()
    .describe('Key of the storage at `S3_ENDPOINT`: `<access key id>:<secret access key>`.'),
});

export const campaignEnvironment = environment.refine(
  ({ S3_ENDPOINT, S3_BUCKET, S3_KEY }) =>
    new Set([S3_ENDPOINT, S3_BUCKET, S3_KEY].map((one) => one === undefined)).size === 1,
  { error: 'S3_ENDPOINT, S3_BUCKET and S3_KEY belong together' },
);
export type CampaignConfig = z.infer<typeof campaignEnvironment>;
