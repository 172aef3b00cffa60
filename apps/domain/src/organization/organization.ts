import { quotaNames } from '#contracts';
import type { approvalPolicies, OrganizationFacts, Quotas } from '#contracts';
import { requestsPerMinute, ToolError } from '#tool-call';

/** A tenant; `ratePerMinute` is its own limit, else its plan's. */
export type Organization = OrganizationFacts;

export interface OrganizationSettings {
  /** AGENTS: editors and tokens that may not confirm ask; ALL: every call that sends asks. */
  approvals: (typeof approvalPolicies)[number];
  approvalHours: number;
  /** Days that a token may be valid; null for any number. */
  tokenDaysMax: number | null;
  /** Seconds for which a send that a user starts can be undone. */
  sendDelaySeconds: number;
  /** Whether members need a second factor. */
  requireSecondFactor: boolean;
}

export const organizationDefaults = {
  // Decision: Europe/Paris, the default that the API text names for schedule_campaign. "Today" in statistics and "10
  // o'clock" in a schedule then mean the same zone until the organization sets one.
  timezone: 'Europe/Paris',
  // The operator sets the limits of an installation.
  plan: 'ENTERPRISE',
  currency: 'USD',
} as const;

export const ratePerMinuteOf = (plan: Organization['plan'], own: number | null): number =>
  own ?? requestsPerMinute[plan];

const approversMin = 2;
export function assertApprovers(approvers: number): void {
  if (approvers < approversMin) throw new ToolError('APPROVERS_TOO_FEW', { approvers });
}

export function assertCell(cell: string | null, cells: readonly string[]): void {
  if (cell !== null && !cells.includes(cell)) throw new ToolError('CELL_UNKNOWN', { cell, cells });
}

export const quotasOf = (set: Partial<Quotas>): Quotas =>
  Object.fromEntries(quotaNames.map((name) => [name, set[name] ?? null])) as Quotas;

export const publicOrganization = ({
  number: _n,
  ratePerMinute: _r,
  currency: _c,
  tracking: _t,
  quotas: _q,
  cell: _p,
  sendDelaySeconds: _s,
  ...shown
}: Organization) => shown;
