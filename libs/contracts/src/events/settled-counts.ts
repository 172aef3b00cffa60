import type { EventData, SettledOutcome } from './events.js';

/** Whether a relay has taken the message. */
export const isSent = (outcome: SettledOutcome): boolean => outcome === 'SENT' || outcome === 'DELIVERED';

/**
 * How many messages of a group are SENT or DELIVERED, and how many are DELIVERED.
 * @param options `simulated`: whether simulated messages count
 */
export function settledCounts(
  { counts }: Pick<EventData<'messages.settled'>, 'counts'>,
  { simulated = true }: { simulated?: boolean } = {},
): { sent: number; delivered: number } {
  const counted = counts.filter((one) => simulated || !one.simulated);
  return {
    sent: counted.reduce((sum, one) => sum + one.sent, 0),
    delivered: counted.reduce((sum, one) => sum + one.delivered, 0),
  };
}
