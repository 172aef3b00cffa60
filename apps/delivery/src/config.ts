import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { isPublicHost } from '#public-fetch';
import { contentThreads, serviceEnvironment } from '#service-host';

const seconds = (byDefault: number) => z.coerce.number().positive().default(byDefault);

/** What the delivery service must be told beside what every service is. */
export const deliveryEnvironment = serviceEnvironment.extend({
  /** `smtp://user:password@host:port`, or `smtps:`; `?tls=off|required|unverified` changes how STARTTLS is used. */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),
  /** Used while the relay is in trouble. */
  SMTP_FALLBACK_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Messages a second that a process hands over at most. */
  SMTP_RATE: z.coerce.number().positive().optional(),
  SMTP_CONNECTIONS: z.coerce.number().int().min(1).max(500).default(40),
  /** Of these, as many as may be used for one domain at one time; without it the relay decides alone. */
  SMTP_CONNECTIONS_PER_DOMAIN: z.coerce.number().int().min(1).max(500).optional(),
  /** Threads that render and sign. */
  RENDER_THREADS: z.coerce.number().int().min(1).max(64).default(Math.min(64, availableParallelism())),
  ...contentThreads,
  /** The compiled thread, for processes that run from sources. */
  RENDER_THREAD_URL: z.url({ protocol: /^file$/ }).optional(),
  /**
   * Who tells what became of a message that the relay accepted. `none`: it counts as delivered until a bounce comes; `dsn`,
   * `webhook`: it counts as delivered once somebody says so.
   */
  SMTP_FEEDBACK: z.enum(['none', 'dsn', 'webhook']).default('none'),
  /** Where mail is taken over SMTP: what is to be sent, and bounces. Nowhere without a port. */
  SMTP_LISTEN_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  SMTP_LISTEN_HOST: z.string().min(1).default('127.0.0.1'),
  /** PEM files; without them a self-made certificate. */
  SMTP_TLS_KEY_FILE: z.string().min(1).optional(),
  SMTP_TLS_CERT_FILE: z.string().min(1).optional(),
  /** Where the links in mail lead. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
  /** Where bounces are delivered to; empty for the host of PUBLIC_URL. */
  MAIL_HOST: z.string().default(''),
  SMTP_CONNECT_TIMEOUT_SECONDS: seconds(30),
  SMTP_GREETING_TIMEOUT_SECONDS: seconds(60),
  /** RFC 5321 4.5.3.2: five minutes for a command, ten for the reply to the final dot. */
  SMTP_COMMAND_TIMEOUT_SECONDS: seconds(300),
  SMTP_DATA_TIMEOUT_SECONDS: seconds(600),
  /** How long a page belongs to a process that says nothing. */
  SEND_LEASE_SECONDS: seconds(20),
  /** How old the answer to "who may still get it" may be when a message is handed over. */
  RECIPIENT_CACHE_TTL_SECONDS: seconds(60),
  /** Whether a campaign whose first results are bad is paused. */
  AUTO_PAUSE: z.stringbool().default(true),
});
export type DeliveryConfig = z.infer<typeof deliveryEnvironment>;

/** Ports of relays (RFC 5321, RFC 6409, RFC 8314); a catcher for development listens elsewhere. */
const relayPorts = ['', '25', '465', '587'];

/**
 * What recipients of a real relay's mail could not reach: links that lead to this machine, and a host for bounces that no
 * server finds. Empty where mail goes to a catcher.
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
