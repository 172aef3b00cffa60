import type { Sql } from '#database';

/** Messages of a source and lane that a consumer never got: those between two that it applied. */
export interface EventGap {
  consumer: string;
  source: string;
  lane: number;
  afterNumber: number;
  beforeNumber: number;
}

export interface StoredEventGap extends EventGap {
  detectedAt: Date;
}

export class EventGapRepository {
  constructor(private readonly sql: Sql) {}

  async insert({ consumer, source, lane, afterNumber, beforeNumber }: EventGap): Promise<void> {
    await this.sql.query(
      `insert into event_gap (consumer, source, lane, after_number, before_number) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
      [consumer, source, lane, afterNumber, beforeNumber],
    );
  }

  /** Lists the gaps that no operator has resolved, the oldest first. */
  async listOpen(limit: number): Promise<StoredEventGap[]> {
    return await this.sql.query(
      `select consumer, source, lane, after_number::float8 as "afterNumber", before_number::float8 as "beforeNumber",
         detected_at as "detectedAt" from event_gap where resolved_at is null order by detected_at limit $1`,
      [limit],
    );
  }

  async countOpen(): Promise<number> {
    const [row]: [{ n: number }] = await this.sql.query(
      `select count(*)::int as n from event_gap where resolved_at is null`,
    );
    return row.n;
  }

  /** @returns how many gaps were open */
  async resolveAll(): Promise<number> {
    const [, resolved]: [unknown, number] = await this.sql.query(
      `update event_gap set resolved_at = clock_timestamp() where resolved_at is null`,
    );
    return resolved;
  }
}
