/** A request for `count` permits of one organization, whose `limit` is per minute. */
export interface Take {
  organizationId: string;
  limit: number;
  count: number;
}

/**
 * `resetAt`: the unix second, by the database's clock, at which the oldest counted call leaves the window; `resetInMs`:
 * the milliseconds until then.
 */
export interface Grant {
  organizationId: string;
  granted: number;
  remaining: number;
  resetAt: number;
  resetInMs: number;
  /** The second of the window in which they count, by the database's clock, and the milliseconds until it ends. */
  second: number;
  secondEndsInMs: number;
}

/** Permits of one second that were taken and not used. */
export interface Return {
  organizationId: string;
  second: number;
  count: number;
}

/** Joins takes of the same organization under the lowest of their limits, sorted, so that callers lock in one order. */
export function mergeTakes(takes: readonly Take[]): Take[] {
  const merged = new Map<string, Take>();
  for (const take of takes) {
    const known = merged.get(take.organizationId);
    merged.set(
      take.organizationId,
      known ? { ...take, limit: Math.min(known.limit, take.limit), count: known.count + take.count } : take,
    );
  }
  return [...merged.values()].sort((a, b) => (a.organizationId < b.organizationId ? -1 : 1));
}

export function shareGrants(takes: readonly Take[], grants: readonly Grant[]): Grant[] {
  const byOrganization = new Map(grants.map((grant) => [grant.organizationId, grant]));
  const left = new Map(grants.map(({ organizationId, granted }) => [organizationId, granted]));
  return takes.map(({ organizationId, count }) => {
    const granted = Math.min(count, left.get(organizationId)!);
    left.set(organizationId, left.get(organizationId)! - granted);
    return { ...byOrganization.get(organizationId)!, granted };
  });
}
