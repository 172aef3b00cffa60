import { isIP } from 'node:net';
import { z } from 'zod';
import { otherCells } from '#bus';
import { serviceEnvironment } from '#service-host';
import { callDeadlineMs } from '#tool-call';

const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  return (
    version !== 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128)))
  );
};

/** `true`, or the proxies' addresses and networks; without it no forwarded header is trusted. */
const trustProxy = z
  .string()
  .transform((text) =>
    ['true', 'false', ''].includes(text) ? text === 'true' : text.split(',').map((one) => one.trim()),
  )
  .refine((proxies) => typeof proxies === 'boolean' || proxies.every(isNetwork), {
    error: 'must be true, false, or addresses and networks with commas between, such as 127.0.0.1, 10.0.0.0/8',
  });

export const gatewayEnvironment = serviceEnvironment
  .pick({
    NATS_URL: true,
    NATS_NAMESPACE: true,
    NATS_REPLICAS: true,
    MASTER_KEY: true,
    LOG_LEVEL: true,
    OTEL_EXPORTER_OTLP_ENDPOINT: true,
    DNS_SERVERS: true,
    HEALTH_HOST: true,
    HEALTH_PORT: true,
  })
  .extend({
    /** Cells beside the home whose organizations are served here. */
    CELLS: otherCells,
    PORT: z.coerce.number().int().min(0).max(65535).default(3000),
    /** This machine only, unless said otherwise; containers say 0.0.0.0. */
    HOST: z.string().min(1).default('127.0.0.1'),
    /** Where the world reaches this gateway; decides on HSTS. */
    PUBLIC_URL: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    /** The built-in mail catcher's HTTP address; its mails are shown at `/mailbox`. */
    CATCHER_URL: z.url({ protocol: /^http$/ }).optional(),
    TRUST_PROXY: trustProxy.default(false),
    /** What tells of sent messages at /webhooks/…; each is heard only where its secret is set. */
    WEBHOOK_SES_TOPIC_ARN: z.string().min(1).optional(),
    WEBHOOK_MAILGUN_KEY: z.string().min(1).optional(),
    /** Base64 of the public key of the signed event webhook. */
    WEBHOOK_SENDGRID_KEY: z.string().min(1).optional(),
    /** `user:password`, as it stands in the address that Postmark is given. */
    WEBHOOK_POSTMARK_SECRET: z.string().min(8).optional(),
    /** `user:password` of a mail server that posts bounces as they come (message/rfc822). */
    WEBHOOK_MAIL_SECRET: z.string().min(8).optional(),
    /** How long a call may take; shorter in tests only. */
    CALL_DEADLINE_MS: z.coerce.number().int().min(100).max(callDeadlineMs).default(callDeadlineMs),
  })
  .transform((read) => ({ ...read, PUBLIC_URL: read.PUBLIC_URL ?? `http://localhost:${read.PORT}` }));
export type GatewayConfig = z.infer<typeof gatewayEnvironment>;
