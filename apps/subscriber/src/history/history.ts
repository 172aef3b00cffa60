/** One line of a subscriber's history, before it is kept. */
export interface HistoryEntry {
  subscriberId: string;
  /** Of the API text, or a name of the customer's own. */
  type: string;
  data: Record<string, unknown>;
  /** When it happened: ISO 8601, UTC. */
  at: string;
  campaignId?: string | null;
}
