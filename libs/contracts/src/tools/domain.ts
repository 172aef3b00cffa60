import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineTools } from '../define.js';

export const domainStatus = z.enum(['PENDING', 'VERIFIED', 'FAILED']);
export const plan = z.enum(['FREE', 'PREMIUM', 'ENTERPRISE']);

const dnsRecord = z.object({
  type: z.string(),
  name: z.string(),
  value: z.string(),
  purpose: z.string(),
  status: domainStatus,
  found: z.array(z.string()),
});
export const sendingDomain = z.object({
  id: z.string(),
  domain: z.string(),
  status: domainStatus,
  sandbox: z.boolean(),
  dkim: domainStatus,
  mailFrom: domainStatus,
  records: z.array(dnsRecord),
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
    example: {},
  },
  get_email_senders: {
    summary: 'Lists the configured from-addresses; the default one first.',
    category: 'settings',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ senders: z.array(sender), total: z.int() }),
    errors: [],
    transaction: 'read',
    example: {},
  },
  update_organization_settings: {
    summary: 'Changes the name and the time zone of the organization.',
    category: 'settings',
    scope: 'write',
    idempotent: true,
    input: z.strictObject({
      name: z.string().trim().min(1).max(255).optional(),
      timezone: z.string().trim().min(1).max(64).optional().describe('An IANA name such as Europe/Paris'),
    }),
    output: z.object({ organization }),
    errors: ['TIMEZONE_UNKNOWN', 'NOTHING_TO_CHANGE', 'ORGANIZATION_NOT_FOUND'],
    transaction: 'own',
    example: { timezone: 'Europe/Paris' },
  },
});
