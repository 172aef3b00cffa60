import type { Approval } from '#contracts';

const hourMs = 3_600_000;
/** A person has a day to decide; what they refuse stays refused for as long. */
const approvalTtlMs = 24 * hourMs;
/** What is approved may be carried out, and told again, for as long as a confirmation code lives. */
const approvedMs = 5 * 60_000;

/** Until when an approval may be decided, or what was decided holds. */
export function endOf({
  state,
  askedAt,
  decidedAt,
}: Pick<Approval, 'state'> & { askedAt: Date; decidedAt: Date | null }): Date {
  if (state === 'PENDING' || !decidedAt) return new Date(askedAt.getTime() + approvalTtlMs);
  return new Date(decidedAt.getTime() + (state === 'APPROVED' ? approvedMs : approvalTtlMs));
}

/** Whether what was asked or decided still holds. */
export const isLive = ({ expiresAt }: Pick<Approval, 'expiresAt'>, now: Date): boolean =>
  Date.parse(expiresAt) > now.getTime();
