import type { Sql } from '#database';
import type { MissedMessages } from './outbox.repository.js';

/** Messages of a source and lane that a consumer never got: those between two that it applied. */
export interface EventGap extends MissedMessages {
  consumer: string;
  source: string;
}

export interface StoredEventGap extends EventGap {
  detectedAt: Date;
  /** When it was repaired, or accepted by an operator; null while it is open. */
  resolvedAt: Date | null;
  /** How many messages a repair did not find; null without a repair. */
  missing: number | null;
}

const columns = `consumer, source, lane, after_number::float8 as "afterNumber", before_number::float8 as "beforeNumber",
  detected_at as "detectedAt", resolved_at as "resolvedAt", missing::float8 as missing`;

export class EventGapRepository {
  constructor(private readonly sql: Sql) {}

  async insert({ consumer, source, lane, afterNumber, beforeNumber }: EventGap): Promise<void> {
    await this.sql.query(
      `insert into event_gap (consumer, source, lane, after_number, before_number) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
      [consumer, source, lane, afterNumber, beforeNumber],
    );
  }

  /** Lists the gaps that are open, the oldest first. */
  async listOpen(limit: number): Promise<StoredEventGap[]> {
    return await this.sql.query(
      `select ${columns} from event_gap where resolved_at is null order by detected_at, source, lane limit $1`,
      [limit],
    );
  }

  /** Lists the newest gaps, open or not, the newest first. */
  async list(limit: number): Promise<StoredEventGap[]> {
    return await this.sql.query(
      `select ${columns} from event_gap order by detected_at desc, source, lane, after_number limit $1`,
      [limit],
    );
  }

  /** The open gaps in the events of a source. */
  async listOpenOf(consumer: string, source: string): Promise<MissedMessages[]> {
    return await this.sql.query(
      `select lane, after_number::float8 as "afterNumber", before_number::float8 as "beforeNumber" from event_gap
       where consumer = $1 and source = $2 and resolved_at is null order by lane, after_number`,
      [consumer, source],
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

  /**
   * Records what a repair of an open gap did not find.
   * @param missing messages
   * @param isResolved whether the gap ends nevertheless; it always ends if nothing is missing
   */
  async updateRepaired(
    { consumer, source, lane, afterNumber }: Omit<EventGap, 'beforeNumber'>,
    { missing, isResolved }: { missing: number; isResolved: boolean },
  ): Promise<void> {
    await this.sql.query(
      `update event_gap set missing = $5::bigint, resolved_at = case when $6 or $5::bigint = 0 then clock_timestamp() end
       where consumer = $1 and source = $2 and lane = $3 and after_number = $4 and resolved_at is null`,
      [consumer, source, lane, afterNumber, missing, isResolved],
    );
  }
}
