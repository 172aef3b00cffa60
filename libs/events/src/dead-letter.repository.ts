import type { DeadLetter, DomainEvent } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

interface Row {
  dead_letter_id: string;
  event: DomainEvent;
  error: string;
  attempts: number;
  failed_at: Date;
}

const columns = 'dead_letter_id, event, error, attempts, failed_at';
const errorMax = 4000;
/** First words of the error of a discarded one: a column would need a migration of every service. */
const discardedPrefix = 'Discarded: ';

/** Events that could not be applied, kept for 30 days at most: they may name a subscriber who is erased meanwhile. */
export class DeadLetterRepository {
  constructor(private readonly sql: Sql) {}

  /** `id`: a new uuid; `attempts`: how often it was tried */
  async insert(letter: {
    id: string;
    consumer: string;
    event: DomainEvent;
    error: string;
    attempts: number;
  }): Promise<void> {
    await this.sql.query(
      `insert into dead_letter (dead_letter_id, consumer, event, error, attempts) values ($1, $2, $3, $4, $5)`,
      [letter.id, letter.consumer, letter.event, letter.error.slice(0, errorMax), letter.attempts],
    );
  }

  async countOpen(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from dead_letter where replayed_at is null`,
    );
    return rows[0]!.n;
  }

  async listOpen(limit: number): Promise<DeadLetter[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from dead_letter where replayed_at is null order by failed_at, dead_letter_id limit $1`,
      [limit],
    );
    return rows.map(letterOf);
  }

  /** Ids of those that wait, the oldest first: of the ones given, or of all. */
  async listOpenIds(ids?: readonly string[]): Promise<string[]> {
    const rows: Row[] = await this.sql.query(
      `select dead_letter_id from dead_letter
       where replayed_at is null and ($1::uuid[] is null or dead_letter_id = any($1)) order by failed_at, dead_letter_id`,
      [ids ? ids.flatMap((id) => uuidOf('dlt', id) ?? []) : null],
    );
    return rows.map(({ dead_letter_id }) => wireId('dlt', dead_letter_id));
  }

  /** Lists open ones of an organization in the order of their ids, and counts all that match. */
  async listOpenOf(
    organizationId: string,
    { ids, event, after, limit }: { ids?: readonly string[]; event?: string; after: string | null; limit: number },
  ): Promise<{ deadLetters: DeadLetter[]; total: number }> {
    const params = [organizationId, event ?? null, ids ? ids.flatMap((id) => uuidOf('dlt', id) ?? []) : null];
    const selected = `replayed_at is null and event ->> 'organizationId' = $1 and ($2::text is null or event ->> 'name' = $2)
      and ($3::uuid[] is null or dead_letter_id = any($3))`;
    const rows: Row[] = await this.sql.query(
      `select ${columns} from dead_letter where ${selected} and ($4::uuid is null or dead_letter_id > $4)
       order by dead_letter_id limit $5`,
      [...params, after && uuidOf('dlt', after), limit],
    );
    const counted: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from dead_letter where ${selected}`,
      params,
    );
    return { deadLetters: rows.map(letterOf), total: counted[0]!.n };
  }

  async findOf(
    organizationId: string,
    id: string,
  ): Promise<(DeadLetter & { state: 'OPEN' | 'RETRIED' | 'DISCARDED'; event: string; payload: DomainEvent }) | null> {
    const rows: (Row & { is_open: boolean })[] = await this.sql.query(
      `select ${columns}, replayed_at is null as is_open from dead_letter
       where dead_letter_id = $2 and event ->> 'organizationId' = $1`,
      [organizationId, uuidOf('dlt', id)],
    );
    const [row] = rows;
    if (!row) return null;
    const closed = row.error.startsWith(discardedPrefix) ? 'DISCARDED' : 'RETRIED';
    return { ...letterOf(row), state: row.is_open ? 'OPEN' : closed, payload: row.event };
  }

  /**
   * Closes open ones of an organization without applying them; `deleteOld` deletes them after 30 days, as it does
   * replayed ones. @returns how many
   */
  async updateDiscarded(organizationId: string, ids: readonly string[], reason: string): Promise<number> {
    const [, n]: [unknown[], number] = await this.sql.query(
      `update dead_letter set replayed_at = clock_timestamp(), error = left($3 || error, ${errorMax})
       where replayed_at is null and event ->> 'organizationId' = $1 and dead_letter_id = any($2::uuid[])`,
      [organizationId, ids.flatMap((id) => uuidOf('dlt', id) ?? []), `${discardedPrefix}${reason}\n`],
    );
    return n;
  }

  /**
   * Marks one as replayed, for the transaction that applies it.
   * @returns its event; null when it is unknown or already replayed
   */
  async take(id: string): Promise<DomainEvent | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `update dead_letter set replayed_at = clock_timestamp() where dead_letter_id = $1 and replayed_at is null returning event`,
      [uuidOf('dlt', id)],
    );
    return rows[0]?.event ?? null;
  }

  /**
   * Deletes letters that were put aside or replayed more than 30 days before `now`, at most 10,000 at a time.
   * @returns how many
   */
  async deleteOld(now: Date): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with old as (
         (select dead_letter_id from dead_letter where replayed_at < $1::timestamptz - interval '30 days' limit 10000)
         union (select dead_letter_id from dead_letter where dead_letter_id < uuid_floor($1::timestamptz - interval '30 days') limit 10000)),
       gone as (delete from dead_letter where dead_letter_id in (select dead_letter_id from old) returning 1)
       select count(*)::int as n from gone`,
      [now],
    );
    return rows[0]!.n;
  }

  /** Notes that a replay failed. @returns the letter as it is now; null when it waits no more */
  async updateFailed(id: string, error: string): Promise<DeadLetter | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `update dead_letter set attempts = attempts + 1, error = $2, failed_at = clock_timestamp()
       where dead_letter_id = $1 and replayed_at is null returning ${columns}`,
      [uuidOf('dlt', id), error.slice(0, errorMax)],
    );
    return rows[0] ? letterOf(rows[0]) : null;
  }
}

const letterOf = (row: Row): DeadLetter => ({
  id: wireId('dlt', row.dead_letter_id),
  organizationId: row.event.organizationId,
  event: row.event.name,
  error: row.error,
  attempts: row.attempts,
  failedAt: row.failed_at.toISOString(),
});
