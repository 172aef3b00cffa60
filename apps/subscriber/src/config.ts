import { z } from 'zod';
import { serviceEnvironment } from '#service-host';

export const subscriberEnvironment = serviceEnvironment.extend({
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Base of confirmation and download links.'),
});
export type SubscriberConfig = z.infer<typeof subscriberEnvironment>;
