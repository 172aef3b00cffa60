import { z } from 'zod';
import { otherCells } from '#bus';
import { isFixtureAddress, toAsciiDomain } from '#email-address';
import { serviceEnvironment } from '#service-host';
import { isPossibleApiToken } from '#tool-call';

const hostName = z
  .string()
  .refine((name) => name === '' || toAsciiDomain(name) === name, 'must be a host name in lower-case ASCII')
  .default('');
const spfMechanism = /^(?:(?:a|mx)(?:[:/]\S+)?|(?:include|exists|ip4|ip6):\S+)$/;

export const domainEnvironment = serviceEnvironment.extend({
  BOOTSTRAP_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]*$/, 'must be visible ASCII without spaces, as a header can carry it')
    .refine((token) => token === '' || isPossibleApiToken(token), 'looks like an API token with a wrong checksum')
    .default('')
    .describe(
      'API token of the first organization, 32 visible ASCII characters or more. Empty: a random token. Later starts ignore it.',
    ),
  CELLS: otherCells.describe('Namespaces of further cells, separated by commas. Empty: there is one cell.'),
  ORGANIZATION_NAME: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .default('My organization')
    .describe('Name of the first organization. Later starts ignore it.'),
  SANDBOX_DOMAIN_SUFFIX: z
    .string()
    .refine((domain) => toAsciiDomain(domain) === domain, 'must be a domain name in lower-case ASCII')
    .refine((domain) => !isFixtureAddress(`hello@${domain}`), 'must not be a domain of test addresses')
    .default('tidings.internal')
    .describe(
      'Each organization gets a sandbox domain under this name. `.internal` is reserved, so no one can own it.',
    ),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://localhost:3000')
    .describe('Public address of the gateway. `WEB_HOST` and `MAIL_HOST` default to its host.'),
  WEB_HOST: hostName.describe('Host that CNAME records of web domains must name. Empty: the host of `PUBLIC_URL`.'),
  MAIL_HOST: hostName.describe(
    'Host that accepts bounces; MX records of MAIL FROM domains name it. Empty: the host of `PUBLIC_URL`.',
  ),
  SYSTEM_FROM: z
    .string()
    .trim()
    .max(320)
    .default('')
    .describe(
      'Address of a verified sender of the first organization, for invitations and password links. Empty: its sandbox sender.',
    ),
  SPF_MECHANISMS: z
    .string()
    .refine((text) => text.split(' ').every((one) => spfMechanism.test(one)), 'must be SPF mechanisms, a space between')
    .default('mx')
    .describe('SPF mechanisms of this installation, separated by spaces. With a relay, its `include:…`.'),
  DOMAIN_BLOCKLIST: hostName.describe(
    'DNS zone of a blocklist of spam domains (RFC 5782), used by address verification. Empty: none.',
  ),
  DNS_TIMEOUT_SECONDS: z.coerce
    .number()
    .positive()
    .max(20)
    .default(8)
    .describe('Seconds that one check of a domain may use DNS.'),
});
export type DomainConfig = z.infer<typeof domainEnvironment>;

/** The hosts that DNS records of organizations lead to. */
export const hostsOf = ({ PUBLIC_URL, WEB_HOST, MAIL_HOST }: DomainConfig) => {
  const { hostname } = new URL(PUBLIC_URL);
  return { webHost: WEB_HOST || hostname, mailHost: MAIL_HOST || hostname };
};
