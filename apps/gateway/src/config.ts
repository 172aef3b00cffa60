import { z } from 'zod';
import { serviceEnvironment } from '#service-host';
import { callDeadlineMs } from '#tool-call';

/** `true`, or the proxies' addresses and networks; without it no forwarded header is trusted. */
const trustProxy = z.string().transform((text) => (text === 'true' ? true : text === 'false' ? false : text || false));

export const gatewayEnvironment = serviceEnvironment
  .pick({ NATS_URL: true, NATS_NAMESPACE: true, NATS_REPLICAS: true, MASTER_KEY: true, LOG_LEVEL: true })
  .extend({
    PORT: z.coerce.number().int().min(0).max(65535).default(3000),
    /** This machine only, unless said otherwise; containers say 0.0.0.0. */
    HOST: z.string().min(1).default('127.0.0.1'),
    /** Where the world reaches this gateway; decides on HSTS. */
    PUBLIC_URL: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    /** The built-in mail catcher's HTTP address; its mails are shown at `/mailbox`. */
    MAILBOX_URL: z.url({ protocol: /^http$/ }).optional(),
    TRUST_PROXY: trustProxy.default(false),
    /** How long a call may take; shorter in tests only. */
    CALL_DEADLINE_MS: z.coerce.number().int().min(100).max(callDeadlineMs).default(callDeadlineMs),
  })
  .transform((read) => ({ ...read, PUBLIC_URL: read.PUBLIC_URL ?? `http://localhost:${read.PORT}` }));
export type GatewayConfig = z.infer<typeof gatewayEnvironment>;
