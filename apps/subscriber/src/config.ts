import { z } from 'zod';
import { serviceEnvironment } from '#service-host';

export const subscriberEnvironment = serviceEnvironment.extend({
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Base of confirmation and download links.'),
  IMPORT_THREAD_URL: z
    .url({ protocol: /^file$/ })
    .optional()
    .describe(
      'Compiled worker that reads the rows of imports, for processes that run from sources. Not for operators.',
    ),
});
export type SubscriberConfig = z.infer<typeof subscriberEnvironment>;
