import { z } from 'zod';
import { serviceEnvironment } from '#service-host';

/** What the subscriber service must be told beside what every service is. */
export const subscriberEnvironment = serviceEnvironment.extend({
  /** Where confirmation links and downloads lead. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
});
export type SubscriberConfig = z.infer<typeof subscriberEnvironment>;
