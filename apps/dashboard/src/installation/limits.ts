import type { ToolData, ToolInput } from '#client';

export type HostedOrganization = ToolData<'list_organizations'>['organizations'][number];
export type Plan = HostedOrganization['plan'];

export const plans = ['FREE', 'PREMIUM', 'ENTERPRISE'] as const satisfies readonly Plan[];

/** The limits that an operator sets, with the bounds of the contract. */
export const limits = {
  contacts: { least: 0, most: 2_000_000_000 },
  mailsPerMonth: { least: 0, most: 2_000_000_000 },
  domains: { least: 0, most: 2_000_000_000 },
  ratePerMinute: { least: 1, most: 10_000_000 },
} as const;
export type Limit = keyof typeof limits;
export const limitNames = Object.keys(limits) as Limit[];

/** What becomes of one limit: it stays, follows the plan, or has a value of its own. */
export interface LimitChoice {
  kind: 'keep' | 'plan' | 'own';
  /** As typed; counts for `own` only. */
  value: string;
}
export type LimitChoices = Record<Limit, LimitChoice>;

/** The limit of an organization now. @returns null without a bound */
export const limitOf = ({ quotas, ratePerMinute }: HostedOrganization, limit: Limit): number | null =>
  limit === 'ratePerMinute' ? ratePerMinute : (quotas[limit] ?? null);

/** Whether an own value is a whole number within the bounds. */
export function isValid(limit: Limit, { kind, value }: LimitChoice): boolean {
  if (kind !== 'own') return true;
  const { least, most } = limits[limit];
  return /^\d+$/.test(value.trim()) && Number(value) >= least && Number(value) <= most;
}

/** The call that makes the chosen changes. @returns null where nothing changes, or a value is not valid */
export function planCall(
  organization: HostedOrganization,
  plan: Plan,
  choices: LimitChoices,
): ToolInput<'set_organization_plan'> | null {
  const changed = limitNames.filter((limit) => choices[limit].kind !== 'keep');
  if (changed.some((limit) => !isValid(limit, choices[limit]))) return null;
  if (changed.length === 0 && plan === organization.plan) return null;
  const valueOf = (limit: Limit) => (choices[limit].kind === 'plan' ? null : Number(choices[limit].value));
  const quotas = Object.fromEntries(
    changed.filter((limit) => limit !== 'ratePerMinute').map((limit) => [limit, valueOf(limit)]),
  );
  return {
    organizationId: organization.id,
    ...(plan !== organization.plan && { plan }),
    ...(Object.keys(quotas).length > 0 && { quotas }),
    ...(changed.includes('ratePerMinute') && { ratePerMinute: valueOf('ratePerMinute') }),
  };
}
