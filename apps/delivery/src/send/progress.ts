export interface SendCounts {
  sent: number;
  delivered: number;
  bounced: number;
  failed: number;
  deferred: number;
  inDoubt: number;
  skipped: Record<string, number>;
}

const sum = (numbers: Record<string, number>): number => Object.values(numbers).reduce((a, b) => a + b, 0);

/** Messages not settled yet: not attempted, in progress, or deferred. */
export const pendingOf = (total: number, { sent, failed, skipped, inDoubt }: SendCounts): number =>
  Math.max(0, total - sent - failed - inDoubt - sum(skipped));
