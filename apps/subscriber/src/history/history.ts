export interface HistoryEntry {
  subscriberId: string;
  type: string;
  data: Record<string, unknown>;
  /** When it happened: ISO 8601, UTC. */
  at: string;
  campaignId?: string | null;
}
