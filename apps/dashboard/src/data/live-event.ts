/** What an event of `GET /api/events` carries (CONTRACT-PEOPLE, section 5). */
export interface LiveEvent {
  type: string;
  noun: string;
  id: string;
  at: string;
  organization?: string;
  numbers?: Record<string, unknown>;
}
