import type { Approval } from '#contracts';

const hourMs = 3_600_000;
/** A person has a day to decide; what they refuse stays refused for as long. */
const approvalTtlMs = 24 * hourMs;
/** An approved call may be executed, and its result returned again, for as long as a confirmation code is valid. */
const approvedMs = 5 * 60_000;

/** Until when an approval may be decided, or its decision is valid. */
export function endOf({
  state,
  askedAt,
  decidedAt,
}: Pick<Approval, 'state'> & { askedAt: Date; decidedAt: Date | null }): Date {
  if (state === 'PENDING' || !decidedAt) return new Date(askedAt.getTime() + approvalTtlMs);
  return new Date(decidedAt.getTime() + (state === 'APPROVED' ? approvedMs : approvalTtlMs));
}

/** Whether a request for approval, or the decision on it, is still valid. */
export const isLive = ({ expiresAt }: Pick<Approval, 'expiresAt'>, now: Date): boolean =>
  Date.parse(expiresAt) > now.getTime();
