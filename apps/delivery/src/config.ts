import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { isPublicHost } from '#public-fetch';
import { contentThreads, serviceEnvironment } from '#service-host';
import type { RelayDkim } from './message/relay-signature.js';

const relayDkim = z.enum(['ours', 'relay', 'both'] satisfies RelayDkim[]).default('ours');

const seconds = (byDefault: number) => z.coerce.number().positive().default(byDefault);

export const deliveryEnvironment = serviceEnvironment.extend({
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .describe(
      'The relay: `smtp://user:password@host:port` or `smtps://…`. `?tls=off`, `required` or `unverified` changes how STARTTLS is used. Under `npm start` the default is the built-in mail catcher.',
    ),
  SMTP_FALLBACK_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('A second relay, used while the first one is unavailable.'),
  SMTP_DKIM: relayDkim.describe(
    'Who signs mail by DKIM for the relay of `SMTP_URL`. `ours`: Tidings. `relay`: the relay alone, with a domain aligned with the sender’s. `both`: Tidings signs, and the relay adds its own signature.',
  ),
  SMTP_FALLBACK_DKIM: relayDkim.describe('The same for the relay of `SMTP_FALLBACK_URL`.'),
  SMTP_RATE: z.coerce
    .number()
    .positive()
    .optional()
    .describe('Most messages a second that one process sends. Without it the rate is not limited.'),
  SMTP_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(40)
    .describe('Most connections to the relay of one process. It uses fewer where the relay allows fewer.'),
  SEND_WINDOW: z.coerce
    .number()
    .int()
    .min(1)
    .max(4)
    .default(1)
    .describe(
      'How many messages may be marked as attempted for each of the `SMTP_CONNECTIONS`. With 2, the next messages of a campaign are marked before the results of the last ones are recorded: fewer and larger commits, and up to twice as many messages in doubt after a crash.',
    ),
  DATA_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of everything that must survive a restart. `npm start` uses `.data` in the checkout. The delivery service works without it; with it, attempt journals leave fewer messages in doubt after a crash.',
    ),
  SMTP_CONNECTIONS_PER_DOMAIN: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Most of the `SMTP_CONNECTIONS` that send to one recipient domain at a time. Without it the relay decides.',
    ),
  RENDER_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(Math.min(64, availableParallelism()))
    .describe(
      'Threads of one process that render, sign and send messages; only one is used where the relay signs. Default: one for each processor, at most 64.',
    ),
  ...contentThreads,
  RENDER_THREAD_URL: z
    .url({ protocol: /^file$/ })
    .optional()
    .describe('Compiled worker of the `RENDER_THREADS`, for processes that run from sources. Not for operators.'),
  SMTP_FEEDBACK: z
    .enum(['none', 'dsn', 'webhook'])
    .default('none')
    .describe(
      'How the system learns of a delivery. `none`: an accepted message counts as delivered until a bounce arrives. `dsn` and `webhook`: it counts as delivered when a report says so.',
    ),
  SMTP_LISTEN_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'Port of the SMTP listener, which accepts submissions and bounces; 0 takes a free port. Without it there is no listener. `npm start` uses 2525.',
    ),
  SMTP_LISTEN_HOST: z.string().min(1).default('127.0.0.1').describe('Interface of the SMTP listener.'),
  SMTP_TLS_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Private key of the SMTP listener (PEM). Unless both files are set, each process creates a key and a self-signed certificate at its start.',
    ),
  SMTP_TLS_CERT_FILE: z.string().min(1).optional().describe('Certificate of the SMTP listener (PEM).'),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).describe('Base of links in mail and of the addresses of hosted images.'),
  MAIL_HOST: z
    .string()
    .default('')
    .describe('Host that accepts bounces; MX records of MAIL FROM domains name it. Empty: the host of `PUBLIC_URL`.'),
  SMTP_CONNECT_TIMEOUT_SECONDS: seconds(30).describe('Seconds to wait for a connection to the relay.'),
  SMTP_GREETING_TIMEOUT_SECONDS: seconds(60).describe('Seconds to wait for the greeting of the relay.'),
  SMTP_COMMAND_TIMEOUT_SECONDS: seconds(300).describe(
    'Seconds to wait for the reply to a command (RFC 5321 section 4.5.3.2).',
  ),
  SMTP_DATA_TIMEOUT_SECONDS: seconds(600).describe(
    'Seconds to wait for the reply to the final dot (RFC 5321 section 4.5.3.2).',
  ),
  SEND_LEASE_SECONDS: seconds(20).describe(
    'Seconds for which a chunk of recipients belongs to a process that does not renew its lease.',
  ),
  RECIPIENT_CACHE_TTL_SECONDS: seconds(60).describe('Seconds for which fetched recipient data may be reused.'),
  AUTO_PAUSE: z
    .stringbool()
    .default(true)
    .describe('Pauses a campaign when its first results (bounces, complaints) are bad.'),
});
export type DeliveryConfig = z.infer<typeof deliveryEnvironment>;

/** Ports of relays (RFC 5321, RFC 6409, RFC 8314); a catcher for development listens elsewhere. */
const relayPorts = ['', '25', '465', '587'];

/**
 * What recipients of a real relay's mail could not reach: links that lead to this machine, and a host for bounces that
 * no server finds.
 */
export function unreachableHosts(config: Pick<DeliveryConfig, 'SMTP_URL' | 'PUBLIC_URL' | 'MAIL_HOST'>): string[] {
  const relay = new URL(config.SMTP_URL);
  if (!relayPorts.includes(relay.port) && !isPublicHost(relay.hostname)) return [];
  const { hostname } = new URL(config.PUBLIC_URL);
  const mailHost = config.MAIL_HOST || hostname;
  return [
    ...(isPublicHost(hostname)
      ? []
      : [
          `PUBLIC_URL leads to ${hostname}, so that links in mail work on this machine only. Set it to a public address.`,
        ]),
    ...(isPublicHost(mailHost)
      ? []
      : [`MAIL_HOST is ${mailHost}, so that no bounce comes back. Set it to the public name of the SMTP listener.`]),
  ];
}
