import { z } from 'zod';
import { isFixtureAddress, toAsciiDomain } from '#email-address';
import { serviceEnvironment } from '#service-host';
import { isPossibleApiToken } from '#tool-call';

/** What the domain service must be told. */
export const domainEnvironment = serviceEnvironment.extend({
  /** The literal token of the first organization; empty for one made at random. Later starts ignore it. */
  BOOTSTRAP_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]*$/, 'must be visible ASCII without spaces, as a header can carry it')
    .refine((token) => token === '' || isPossibleApiToken(token), 'looks like a token of ours with a wrong checksum')
    .default(''),
  /** Name of the first organization. */
  ORGANIZATION_NAME: z.string().trim().min(1).max(255).default('My organization'),
  /** Sandbox domains are made under this name; .internal is reserved for private use, so nobody can own them. */
  SANDBOX_DOMAIN_SUFFIX: z
    .string()
    .refine((domain) => toAsciiDomain(domain) === domain, 'must be a domain name in lower-case ASCII')
    .refine((domain) => !isFixtureAddress(`hello@${domain}`), 'must not be a domain of test addresses')
    .default('tidings.internal'),
});
export type DomainConfig = z.infer<typeof domainEnvironment>;
