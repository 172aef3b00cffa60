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

/** What the domain service must be told. */
export const domainEnvironment = serviceEnvironment.extend({
  /** The literal token of the first organization; empty for one made at random. Later starts ignore it. */
  BOOTSTRAP_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]*$/, 'must be visible ASCII without spaces, as a header can carry it')
    .refine((token) => token === '' || isPossibleApiToken(token), 'looks like a token of ours with a wrong checksum')
    .default(''),
  /** Where organizations may be placed beside the home. */
  CELLS: otherCells,
  /** Name of the first organization. */
  ORGANIZATION_NAME: z.string().trim().min(1).max(255).default('My organization'),
  /** Sandbox domains are made under this name; .internal is reserved for private use, so nobody can own them. */
  SANDBOX_DOMAIN_SUFFIX: z
    .string()
    .refine((domain) => toAsciiDomain(domain) === domain, 'must be a domain name in lower-case ASCII')
    .refine((domain) => !isFixtureAddress(`hello@${domain}`), 'must not be a domain of test addresses')
    .default('tidings.internal'),
  /** Where the gateway is found; the hosts below are named after it. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://localhost:3000'),
  /** The name that CNAMEs of web domains lead to; empty for the host of PUBLIC_URL. */
  WEB_HOST: hostName,
  /** The name that MX records of MAIL FROM domains lead to, and that takes the bounces of domains without; the same. */
  MAIL_HOST: hostName,
  /** Who sends for the installation, as SPF mechanisms: `include:` of the relay's name, when there is a relay. */
  SPF_MECHANISMS: z
    .string()
    .refine((text) => text.split(' ').every((one) => spfMechanism.test(one)), 'must be SPF mechanisms, a space between')
    .default('mx'),
  /** A blocklist of spam domains that verification of addresses asks, as its zone in DNS; empty for none. */
  DOMAIN_BLOCKLIST: hostName,
  /** How long one check of a domain may ask DNS. */
  DNS_TIMEOUT_SECONDS: z.coerce.number().positive().max(20).default(8),
});
export type DomainConfig = z.infer<typeof domainEnvironment>;

/** The hosts that DNS records of organizations lead to. */
export const hostsOf = ({ PUBLIC_URL, WEB_HOST, MAIL_HOST }: DomainConfig) => {
  const { hostname } = new URL(PUBLIC_URL);
  return { webHost: WEB_HOST || hostname, mailHost: MAIL_HOST || hostname };
};
