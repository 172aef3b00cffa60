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

/** `true`, or addresses and networks of the proxies; without it, forwarded headers are not trusted. */
const trustProxy = z
  .string()
  .transform((text) =>
    ['true', 'false', ''].includes(text) ? text === 'true' : text.split(',').map((one) => one.trim()),
  )
  .refine((proxies) => typeof proxies === 'boolean' || proxies.every(isNetwork), {
    error: 'must be true, false, or addresses and networks with commas between, such as 127.0.0.1, 10.0.0.0/8',
  });

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);

export const gatewayEnvironment = serviceEnvironment
  .pick({
    NATS_URL: true,
    NATS_NAMESPACE: true,
    NATS_REPLICAS: true,
    HITS_MAX_MB: true,
    MASTER_KEY: true,
    LOG_LEVEL: true,
    OTEL_EXPORTER_OTLP_ENDPOINT: true,
    DNS_SERVERS: true,
    HEALTH_HOST: true,
    HEALTH_PORT: true,
  })
  .extend({
    CELLS: otherCells.describe('Namespaces of further cells, separated by commas. Empty: there is one cell.'),
    PORT: z.coerce.number().int().min(0).max(65535).default(3000).describe('Port of the gateway.'),
    HOST: z.string().min(1).default('127.0.0.1').describe('Interface of the gateway. Containers set 0.0.0.0.'),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional()
      .describe(
        'Public address of the gateway and base of all links. `https` turns on HSTS. The gateway’s default is `http://localhost:PORT`.',
      ),
    CATCHER_URL: z
      .url({ protocol: /^http$/ })
      .optional()
      .describe('HTTP address of the mail catcher, whose mail the gateway shows at `/mailbox`.'),
    DASHBOARD: z.stringbool().default(true).describe('Whether the gateway serves the web dashboard at its address.'),
    TRUST_PROXY: trustProxy
      .default(false)
      .describe(
        'Proxies whose `X-Forwarded-For` the gateway trusts: addresses or networks, separated by commas, or `true` for all.',
      ),
    WEBHOOK_SES_TOPIC_ARN: z.string().min(1).optional().describe('ARN of the SNS topic that may call `/webhooks/ses`.'),
    WEBHOOK_MAILGUN_KEY: z.string().min(1).optional().describe('Signing key of calls to `/webhooks/mailgun`.'),
    WEBHOOK_SENDGRID_KEY: z
      .string()
      .min(1)
      .optional()
      .describe('Public key (Base64) of signed calls to `/webhooks/sendgrid`.'),
    WEBHOOK_POSTMARK_SECRET: z.string().min(8).optional().describe('`user:password` of calls to `/webhooks/postmark`.'),
    WEBHOOK_MAIL_SECRET: z
      .string()
      .min(8)
      .optional()
      .describe('`user:password` of a mail server that posts bounces (message/rfc822) to `/webhooks/mail`.'),
    OIDC_ISSUER: z
      .url({ protocol: /^https?$/ })
      .refine((url) => url.startsWith('https:') || isLoopback(new URL(url).hostname), 'must be https')
      .optional()
      .describe('Identity provider through which users may sign in: its OpenID Connect issuer. Unset: none.'),
    OIDC_CLIENT_ID: z.string().min(1).optional().describe('Client of this installation at the identity provider.'),
    OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Secret of that client.'),
    OIDC_ONLY: z
      .stringbool()
      .default(false)
      .describe('Whether users sign in through the identity provider only, never with a password or passkey.'),
    CALL_DEADLINE_MS: z.coerce
      .number()
      .int()
      .min(100)
      .max(callDeadlineMs)
      .default(callDeadlineMs)
      .describe('Milliseconds that one call may take. Tests set less.'),
  })
  .superRefine(({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ONLY }, context) => {
    const given = [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET].filter((value) => value !== undefined).length;
    if (given !== 3 && (given !== 0 || OIDC_ONLY))
      context.addIssue({
        code: 'custom',
        path: ['OIDC_ISSUER'],
        message: 'needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET beside it; OIDC_ONLY needs all three',
      });
  })
  .transform((read) => ({ ...read, PUBLIC_URL: read.PUBLIC_URL ?? `http://localhost:${read.PORT}` }));
export type GatewayConfig = z.infer<typeof gatewayEnvironment>;
