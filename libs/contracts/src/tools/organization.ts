import { z } from 'zod';
import { idText } from '../common.js';
import { defineTools } from '../define.js';
import { quotaNames } from '../quota.js';
import { organization, plan, sender, senderName } from './domain.js';

/** AGENTS: editors and tokens that may not confirm ask; ALL: every call that sends asks another approver. */
export const approvalPolicies = ['AGENTS', 'ALL'] as const;

const quotas = z.record(z.enum(quotaNames), z.int().nullable());
const currency = z.string().regex(/^[A-Z]{3}$/, 'must have three letters, such as EUR');

export const organizationDetails = organization.extend({
  number: z.int(),
  currency: z.string(),
  trackOpens: z.boolean(),
  trackClicks: z.boolean(),
  approvals: z.enum(approvalPolicies),
  approvalHours: z.int(),
  tokenDaysMax: z.int().nullable(),
  sendDelaySeconds: z.int(),
  requireSecondFactor: z.boolean(),
});

const details = {
  organization: organizationDetails,
  plan,
  quotas: quotas.describe('null: without a bound'),
  usage: quotas.describe('Of each quota; null while its service does not respond'),
};

/** null lifts a bound: of a plan altogether, of an organization back to its plan's. */
export const quotaChanges = z.partialRecord(z.enum(quotaNames), z.int().min(0).max(2_000_000_000).nullable());

const planFacts = z.object({ plan, ratePerMinute: z.int(), quotas });
export type PlanFacts = z.infer<typeof planFacts>;

const hosted = organization.extend({
  number: z.int(),
  ratePerMinute: z.int(),
  currency: z.string(),
  quotas,
  cell: z.string().nullable(),
});

export const organizationTools = defineTools('domain', {
  get_organization: {
    summary: 'Returns the settings of the organization, its plan, its quotas and their use.',
    category: 'access',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object(details),
    errors: ['ORGANIZATION_NOT_FOUND'],
    transaction: 'read',
    keywords: 'account settings, plan, limits, how much is used, quota, company profile, postal address, currency',
    example: {},
  },
  update_organization: {
    summary: 'Updates the settings of the organization.',
    category: 'access',
    scope: 'admin',
    idempotent: true,
    locks: true,
    rules: [
      'Omitted fields keep their values. Only owners change approvals and requireSecondFactor.',
      'approvals ALL: every call that sends needs another approver; it takes two approvers. AGENTS: editors and tokens with selfConfirm false ask.',
      'requireSecondFactor: a member without a second factor may only set one up; tokens are not concerned. The caller needs one to turn it on.',
      'sendDelaySeconds: a send that a session starts or approves can be undone for so long by cancel_campaign_schedule; tokens send at once.',
    ],
    brief:
      'Updates the settings of the organization: name, time zone, address, currency, double opt-in, tracking, approvals, second factors, life of tokens, delay of sends. Omitted fields keep their values. Only owners change approvals and requireSecondFactor.',
    input: z.strictObject({
      name: senderName.optional(),
      timezone: z.string().trim().min(1).max(64).optional().describe('An IANA name such as Europe/Paris'),
      address: z.string().trim().max(1000).nullable().optional().describe('Postal address for footers'),
      currency: currency.optional(),
      doubleOptIn: z.boolean().optional(),
      trackOpens: z.boolean().optional(),
      trackClicks: z.boolean().optional(),
      approvals: z.enum(approvalPolicies).optional(),
      approvalHours: z.int().min(1).max(168).optional().describe('Hours for which a call waits for approval'),
      tokenDaysMax: z.int().min(1).max(366).nullable().optional().describe('Longest life of new tokens; null: any'),
      requireSecondFactor: z.boolean().optional(),
      sendDelaySeconds: z.int().min(0).max(300).optional(),
    }),
    output: z.object(details),
    errors: [
      'TIMEZONE_UNKNOWN',
      'NOTHING_TO_CHANGE',
      'APPROVERS_TOO_FEW',
      'FACTOR_MISSING',
      'ROLE_TOO_LOW',
      'ORGANIZATION_NOT_FOUND',
    ],
    transaction: 'own',
    keywords:
      'four-eyes principle, approval policy, postal address, double opt-in, tracking off, undo sending, currency',
    example: { currency: 'EUR', sendDelaySeconds: 30 },
  },
  list_organizations: {
    summary: 'Lists the organizations of this installation. For its operators.',
    category: 'access',
    scope: 'admin',
    userOnly: true,
    operatorOnly: true,
    input: z.strictObject({}),
    output: z.object({ organizations: z.array(hosted) }),
    errors: ['USER_REQUIRED', 'ROLE_TOO_LOW'],
    transaction: 'read',
    keywords: 'all tenants, customers of the installation, hosted accounts',
    example: {},
  },
  create_organization: {
    summary:
      'Creates an organization that can send at once from its sandbox domain. For operators of the installation.',
    category: 'access',
    scope: 'admin',
    userOnly: true,
    operatorOnly: true,
    recentSignIn: true,
    rules: ['An organization stays in the cell that it was created in; without cell, the home cell.'],
    input: z.strictObject({ name: senderName, cell: z.string().trim().min(1).max(100).nullable().default(null) }),
    output: z.object({ organization: hosted, sender }),
    errors: ['CELL_UNKNOWN', 'USER_REQUIRED', 'ROLE_TOO_LOW'],
    transaction: 'own',
    keywords: 'new tenant, new customer account, add a company to the installation',
    example: { name: 'Second shop' },
  },
  set_organization_plan: {
    summary:
      'Sets the plan, the quotas, the rate limit or the limit of custom fields of an organization. For operators of the installation.',
    category: 'access',
    scope: 'admin',
    userOnly: true,
    operatorOnly: true,
    idempotent: true,
    rules: [
      "null sets a quota, ratePerMinute or customFieldsMax back to the plan's or the default. Omitted fields keep their values.",
    ],
    input: z.strictObject({
      organizationId: idText,
      plan: plan.optional(),
      quotas: quotaChanges.optional(),
      ratePerMinute: z.int().min(1).max(10_000_000).nullable().optional(),
      customFieldsMax: z.int().min(0).max(100_000).nullable().optional(),
    }),
    output: z.object({
      organization: hosted,
      customFields: z
        .object({ limit: z.int(), used: z.int() })
        .nullable()
        .describe('null when customFieldsMax was omitted'),
    }),
    errors: ['ORGANIZATION_NOT_FOUND', 'NOTHING_TO_CHANGE', 'USER_REQUIRED', 'ROLE_TOO_LOW'],
    transaction: 'own',
    keywords: 'upgrade a tenant, raise limits of a customer, quota of an organization, price plan, more custom fields',
    example: { organizationId: '{organizationId}', plan: 'ENTERPRISE' },
  },
  list_plans: {
    summary: 'Lists the plans with their calls a minute and their quotas. For operators of the installation.',
    category: 'access',
    scope: 'admin',
    userOnly: true,
    operatorOnly: true,
    input: z.strictObject({}),
    output: z.object({ plans: z.array(planFacts) }),
    errors: ['USER_REQUIRED', 'ROLE_TOO_LOW'],
    transaction: 'read',
    keywords: 'price plans, free premium enterprise, what does a plan include, tiers',
    example: {},
  },
  set_plan_quotas: {
    summary: 'Sets the quotas of a plan. For operators of the installation.',
    category: 'access',
    scope: 'admin',
    userOnly: true,
    operatorOnly: true,
    idempotent: true,
    rules: [
      'It applies to every organization of the plan, but for quotas that are set for the organization itself. null removes a quota.',
    ],
    input: z.strictObject({ plan, quotas: quotaChanges }),
    output: z.object({ plan: planFacts }),
    errors: ['NOTHING_TO_CHANGE', 'USER_REQUIRED', 'ROLE_TOO_LOW'],
    transaction: 'own',
    keywords: 'change a price plan, contacts of the free plan, what all customers of a plan may use',
    example: { plan: 'FREE', quotas: { contacts: 2000 } },
  },
});
