import type { QuotaName, TokenFacts } from '#contracts';
import { ToolError } from '../envelope/tool-error.js';

export type Bounds = Pick<TokenFacts, 'plan' | 'quotas'>;

/** An organization's quotas as its callers carry them; undefined for one without any, whose calls are then no longer. */
export const boundsOf = ({ plan, quotas }: Bounds): Bounds | undefined =>
  Object.values(quotas).some((limit) => limit !== null) ? { plan, quotas } : undefined;

type Bounded = { bounds?: Bounds | undefined };

export const quotaOf = ({ bounds }: Bounded, quota: QuotaName): number | null => bounds?.quotas[quota] ?? null;

/**
 * Refuses an amount that would exceed a quota; without a quota everything passes. An exact check needs a lock around
 * the count.
 * @throws ToolError QUOTA_REACHED
 */
export function assertWithinQuota(
  caller: Bounded,
  quota: QuotaName,
  { used, asked }: { used: number; asked: number },
): void {
  const limit = quotaOf(caller, quota);
  if (limit === null || used + asked <= limit) return;
  throw new ToolError('QUOTA_REACHED', { quota, plan: caller.bounds!.plan, limit, used, asked });
}
