import { z } from 'zod';
import { emailText, idText, oneAddress, timestamp, warnings } from '../common.js';
import { defineTools } from '../define.js';

export const domainStatus = z.enum(['PENDING', 'VERIFIED', 'FAILED']);
export const plan = z.enum(['FREE', 'PREMIUM', 'ENTERPRISE']);

/** The name of a sender, and of an organization, whose sandbox sender it is. */
export const senderName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');

export const recordPurpose = z.enum(['VERIFICATION', 'DKIM', 'MAIL_FROM_MX', 'MAIL_FROM_SPF', 'DMARC']);
export const dnsRecord = z.object({
  type: z.enum(['TXT', 'MX']),
  name: z.string().describe('Absolute; many DNS providers expect it without the domain at the end'),
  value: z.string(),
  purpose: recordPurpose,
  required: z.boolean().describe('Whether the domain must have it to be VERIFIED'),
  status: domainStatus,
  found: z.array(z.string()).describe('What DNS returned at the last check'),
  advice: z.string().nullable().describe('What to change; null if nothing'),
});
export const sendingDomain = z.object({
  id: z.string(),
  domain: z.string(),
  status: domainStatus,
  sandbox: z.boolean(),
  dkim: domainStatus,
  mailFrom: domainStatus,
  records: z.array(dnsRecord),
  checkedAt: timestamp.nullable(),
  failingSince: timestamp.nullable().describe('Since when a VERIFIED domain lacks a required record'),
  createdAt: timestamp,
});
export const webDomain = z.object({
  id: z.string(),
  hostname: z.string(),
  status: domainStatus,
  cname: z.object({ name: z.string(), value: z.string() }).describe('The CNAME record to add'),
  found: z.array(z.string()),
  advice: z.string().nullable(),
  checkedAt: timestamp.nullable(),
  failingSince: timestamp.nullable(),
  createdAt: timestamp,
});
export const sender = z.object({
  id: z.string(),
  displayName: z.string(),
  localPart: z.string(),
  domain: z.string(),
  email: z.string(),
  replyTo: z.string().nullable(),
  isDefault: z.boolean(),
});
export const organization = z.object({
  id: z.string(),
  name: z.string(),
  timezone: z.string(),
  address: z.string().nullable(),
  plan,
  doubleOptIn: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const domainTools = defineTools('domain', {
  list_domains: {
    summary: 'Lists the sending domains with their verification status and DNS records.',
    category: 'domains',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ domains: z.array(sendingDomain), total: z.int() }),
    errors: [],
    transaction: 'read',
    keywords: 'addresses we can send from, sending domains, set up, which, show, own domain',
    example: {},
  },
  create_domain: {
    summary: 'Registers a sending domain and returns the DNS records to add. Call verify_domain afterwards.',
    category: 'domains',
    scope: 'write',
    rules: [
      'The domain becomes VERIFIED when its VERIFICATION and DKIM records are found. Until both MAIL_FROM records are found, bounces go to a domain of this installation. DMARC is recommended, not required.',
    ],
    input: z.strictObject({
      domain: z.string().trim().min(1).max(255).describe('A host name such as example.org; it may be international'),
    }),
    output: z.object({ domain: sendingDomain }),
    errors: ['DOMAIN_INVALID', 'DOMAIN_EXISTS', 'DOMAIN_TAKEN', 'QUOTA_REACHED'],
    transaction: 'own',
    keywords: 'add our own domain, register, send from our address, set up sending, new, connect, company domain',
    example: { domain: 'news.example.org' },
  },
  get_domain_dns_records: {
    summary: 'Returns the DNS records of a sending domain with the status of each at the last check.',
    category: 'domains',
    scope: 'read',
    input: z.strictObject({ domainId: idText }),
    output: z.object({ domain: sendingDomain, records: z.array(dnsRecord) }),
    errors: ['DOMAIN_NOT_FOUND'],
    transaction: 'read',
    keywords: 'what to enter at the DNS provider, SPF, DKIM, DMARC, entries, settings of the registrar, TXT, MX',
    example: { domainId: '{domainId}' },
  },
  verify_domain: {
    summary: 'Checks the DNS records of a sending domain now: verification, DKIM, MAIL FROM and DMARC.',
    category: 'domains',
    scope: 'write',
    rules: [
      'A VERIFIED domain becomes FAILED 72 hours after its records disappear. DNS servers that do not answer change nothing.',
    ],
    idempotent: true,
    input: z.strictObject({ domainId: idText }),
    output: z.object({ domain: sendingDomain, warnings }),
    errors: ['DOMAIN_NOT_FOUND', 'DOMAIN_TAKEN'],
    transaction: 'own',
    keywords:
      'check the DNS entries, confirmed, is the sending domain ready, authenticate, test, SPF, DKIM, did it work',
    example: { domainId: '{domainId}' },
  },
  create_email_sender: {
    summary: 'Adds a from-address on a VERIFIED sending domain.',
    category: 'domains',
    scope: 'write',
    rules: ['The first sender on your own domain replaces the sandbox sender as the default.'],
    input: z.strictObject({
      displayName: senderName,
      localPart: z.string().trim().min(1).max(320).describe('The part before the @'),
      domainId: idText,
      replyTo: z.union([emailText, z.array(emailText).length(1)], { error: oneAddress }).nullish(),
    }),
    output: z.object({ sender }),
    errors: [
      'DOMAIN_NOT_FOUND',
      'SENDER_DOMAIN_UNVERIFIED',
      'SENDER_EXISTS',
      'SENDER_LOCAL_PART_INVALID',
      'SENDER_REPLY_TO_INVALID',
    ],
    transaction: 'write',
    keywords: 'new from address, sender name, come from, mails from, add a sender, reply address',
    example: { displayName: 'Ada of Example', localPart: 'ada', domainId: '{sandboxDomainId}' },
  },
  list_web_domains: {
    summary: 'Lists the web domains (host names for pages and tracked links) with their verification status.',
    category: 'domains',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ webDomains: z.array(webDomain), total: z.int() }),
    errors: [],
    transaction: 'read',
    keywords: 'domains of links, tracking, click links, landing pages, which, show, branded links',
    example: {},
  },
  get_web_domain: {
    summary: 'Returns a web domain by id or host name, with the CNAME record to add.',
    category: 'domains',
    scope: 'read',
    input: z.strictObject({ domainId: idText.describe('A wdom_ id or a host name') }),
    output: z.object({ webDomain }),
    errors: ['WEB_DOMAIN_NOT_FOUND'],
    transaction: 'read',
    keywords: 'one link domain, CNAME, tracking domain, set up, details, branded links',
    example: { domainId: '{webDomainId}' },
  },
  verify_web_domain: {
    summary: 'Checks the CNAME record of a web domain now. For sending domains, use verify_domain.',
    category: 'domains',
    scope: 'write',
    idempotent: true,
    input: z.strictObject({ domainId: idText.describe('A wdom_ id or a host name') }),
    output: z.object({ webDomain, warnings }),
    errors: ['WEB_DOMAIN_NOT_FOUND'],
    transaction: 'own',
    keywords: 'check the CNAME, test the tracking domain, link domain right, confirm, branded links, did it work',
    example: { domainId: '{webDomainId}' },
  },
  get_email_senders: {
    summary: 'Lists the configured from-addresses, the default one first.',
    category: 'settings',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ senders: z.array(sender), total: z.int() }),
    errors: [],
    transaction: 'read',
    keywords:
      'from addresses, who can it come from, which, sender names, mails from, show, sender addresses, all senders',
    example: {},
  },
  update_organization_settings: {
    summary: 'Updates the name and the time zone of the organization.',
    category: 'settings',
    scope: 'write',
    idempotent: true,
    input: z.strictObject({
      name: senderName.optional(),
      timezone: z.string().trim().min(1).max(64).optional().describe('An IANA name such as Europe/Paris'),
    }),
    output: z.object({ organization }),
    errors: ['TIMEZONE_UNKNOWN', 'NOTHING_TO_CHANGE', 'ORGANIZATION_NOT_FOUND'],
    transaction: 'own',
    keywords: 'company name, time zone, account, change settings, our name, business, profile',
    example: { timezone: 'Europe/Paris' },
  },
});
