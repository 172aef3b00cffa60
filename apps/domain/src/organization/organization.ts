import { quotaNames } from '#contracts';
import type { OrganizationFacts, Quotas } from '#contracts';
import { requestsPerMinute, ToolError } from '#tool-call';

/** A tenant: everything belongs to one. `ratePerMinute` is its own limit, else its plan's. */
export type Organization = OrganizationFacts;

/** Settings that members make for approvals, tokens and sends. */
export interface OrganizationSettings {
  /** AGENTS: editors and tokens that may not confirm ask; ALL: every call that sends asks. */
  approvals: 'AGENTS' | 'ALL';
  approvalHours: number;
  /** Days that a token may be valid; null for any number. */
  tokenDaysMax: number | null;
  /** Seconds for which a send that a user starts can be undone. */
  sendDelaySeconds: number;
}

/** Defaults of a new organization. */
export const organizationDefaults = {
  // Decision: Europe/Paris, the default that the API text names for schedule_campaign. "Today" in statistics and "10
  // o'clock" in a schedule then mean the same zone until the organization sets one.
  timezone: 'Europe/Paris',
  // The operator sets the limits of an installation.
  plan: 'ENTERPRISE',
  currency: 'USD',
} as const;

/** The calls a minute of an organization: what the operator set, else its plan's. */
export const ratePerMinuteOf = (plan: Organization['plan'], own: number | null): number =>
  own ?? requestsPerMinute[plan];

/** @throws ToolError CELL_UNKNOWN for a cell that is neither the home nor one of the others */
export function assertCell(cell: string | null, cells: readonly string[]): void {
  if (cell !== null && !cells.includes(cell)) throw new ToolError('CELL_UNKNOWN', { cell, cells });
}

/** All quotas, from those that are set. */
export const quotasOf = (set: Partial<Quotas>): Quotas =>
  Object.fromEntries(quotaNames.map((name) => [name, set[name] ?? null])) as Quotas;

/** An organization as the tools show it, without what only the operator and other services see. */
export const publicOrganization = ({
  number: _n,
  ratePerMinute: _r,
  currency: _c,
  tracking: _t,
  quotas: _q,
  cell: _p,
  ...shown
}: Organization) => shown;
