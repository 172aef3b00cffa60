import type { ToolData } from '#client';
import type { Tone } from '../ui/states.js';

export const outcomes = [
  'DELIVERED',
  'SENT',
  'PENDING',
  'IN_DOUBT',
  'SKIPPED',
  'BOUNCED',
  'FAILED',
  'COMPLAINED',
] as const satisfies readonly ToolData<'list_campaign_recipients'>['recipients'][number]['status'][];
export type Outcome = (typeof outcomes)[number];

export const outcomeTones: Record<Outcome, Tone> = {
  DELIVERED: 'good',
  SENT: 'info',
  PENDING: 'plain',
  IN_DOUBT: 'warn',
  SKIPPED: 'plain',
  BOUNCED: 'bad',
  FAILED: 'bad',
  COMPLAINED: 'warn',
};

/** The bar's colours; each part also has its word and number below. */
export const outcomeColours: Record<Outcome, string> = {
  DELIVERED: 'bg-good',
  SENT: 'bg-info',
  PENDING: 'bg-line',
  IN_DOUBT: 'bg-warn',
  SKIPPED: 'bg-edge',
  BOUNCED: 'bg-bad',
  FAILED: 'bg-bad/60',
  COMPLAINED: 'bg-warn/60',
};

type Counts = NonNullable<ToolData<'list_campaign_recipients'>['counts']>;

/**
 * Numbers of recipients by outcome. They add up to `total`: who has no outcome yet is PENDING.
 * @param total recipients of the send
 */
export function outcomeParts(counts: Counts, total: number): { outcome: Outcome; count: number }[] {
  const sumOf = (outcome: Outcome) => Object.values(counts[outcome] ?? {}).reduce((sum, count) => sum + count, 0);
  const settled = outcomes
    .filter((outcome) => outcome !== 'PENDING')
    .map((outcome) => ({ outcome, count: sumOf(outcome) }));
  const pending = Math.max(0, total - settled.reduce((sum, { count }) => sum + count, 0));
  return [...settled, { outcome: 'PENDING' as const, count: pending }]
    .filter(({ count }) => count > 0)
    .sort((a, b) => outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome));
}
