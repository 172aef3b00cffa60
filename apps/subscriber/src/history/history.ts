import type { SubscriberEventType } from '#contracts';

/** One line of a subscriber's history, before it is kept. */
export interface HistoryEntry {
  subscriberId: string;
  type: SubscriberEventType;
  data: Record<string, unknown>;
  /** When it happened: ISO 8601, UTC. */
  at: string;
  campaignId?: string | null;
}
