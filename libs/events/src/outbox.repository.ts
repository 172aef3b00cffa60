import { prepared } from '#database';
import type { Sql } from '#database';

/** A waiting event batch; its events as JSON text, which is not parsed on the way. */
export interface PendingBatch {
  outboxId: string;
  events: string;
}

/** Some 256 KB each at most; far less in truth. */
const rebuiltAtOnce = 2_000;

export class OutboxRepository {
  constructor(private readonly sql: Sql) {}

  /** Unpublished envelopes of each lane in commit order, at most `perLane`. */
  async listUnpublished(lanes: readonly number[], perLane: number): Promise<Map<number, PendingBatch[]>> {
    const rows: { lane: number; outbox_id: string; events: string }[] = await this.sql.query(
      `select lane, outbox_id, events from unpublished_batches($1::smallint[], $2)`,
      [lanes, perLane],
    );
    const byLane = new Map<number, PendingBatch[]>();
    for (const { lane, outbox_id, events } of rows) {
      byLane.set(lane, [...(byLane.get(lane) ?? []), { outboxId: outbox_id, events }]);
    }
    return byLane;
  }

  /** Records what was published, with the number of the last message by lane while `owner` holds the lane. */
  async updatePublished(
    outboxIds: readonly string[],
    owner: string,
    numbers: ReadonlyMap<number, number>,
  ): Promise<void> {
    await this.sql.query(
      `with published as (update outbox set published_at = clock_timestamp() where outbox_id = any($1::uuid[]))
       update lane_lease l set position = jsonb_build_object('number', n.number)
       from unnest($2::smallint[], $3::bigint[]) n(lane, number)
       where l.role = 'relay' and l.lane = n.lane and l.owner = $4`,
      [outboxIds, [...numbers.keys()], [...numbers.values()], owner],
    );
  }

  /**
   * Compares the stream's birth with the one published to before; a younger stream means that the store was lost, and
   * everything still in the outbox is published again (inboxes drop what they have).
   * @returns whether that was so
   */
  async rebuildIfLost(stream: string, created: string): Promise<boolean> {
    const known: { created: string }[] = await this.sql.query(`select created from stream_seen where name = $1`, [
      stream,
    ]);
    if (known[0]?.created === created) return false;
    await this.#updateUnpublished();
    await this.sql.query(
      `insert into stream_seen (name, created) values ($1, $2) on conflict (name) do update set created = excluded.created`,
      [stream, created],
    );
    return known.length > 0;
  }

  /**
   * Marks everything published until now as unpublished, in steps. On a busy installation one statement for two days of
   * events would exceed the statement timeout at every attempt, and publishing would stop.
   */
  async #updateUnpublished(): Promise<void> {
    const [start]: { at: string }[] = await this.sql.query(`select clock_timestamp()::text as at`);
    for (let last: string | null = '00000000-0000-0000-0000-000000000000'; last !== null;) {
      const rows: { last: string | null }[] = await this.sql.query(
        // By the key, so that no step looks again at what others are done with. What others publish meanwhile stays.
        `with step as (select outbox_id, published_at from outbox where outbox_id > $1 order by outbox_id limit $3),
         gone as (update outbox o set published_at = null from step s
           where o.outbox_id = s.outbox_id and s.published_at <= $2::timestamptz)
         select (select outbox_id from step order by outbox_id desc limit 1) as last`,
        [last, start!.at, rebuiltAtOnce],
      );
      last = rows[0]!.last;
    }
  }

  async countUnpublished(): Promise<{ envelopes: number; oldestSeconds: number }> {
    const rows: { n: number; age: number | null }[] = await this.sql.query(
      `select count(*)::int as n, extract(epoch from clock_timestamp())::float8
         - min(('x' || left(replace(outbox_id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0 as age
       from outbox where published_at is null`,
    );
    return { envelopes: rows[0]!.n, oldestSeconds: Math.max(0, Number(rows[0]!.age ?? 0)) };
  }

  /** Notes envelopes as seen by a consumer. @returns those it had not seen: only these are applied */
  async insertSeen(consumer: string, outboxIds: readonly string[]): Promise<Set<string>> {
    const rows: { outbox_id: string }[] = await this.sql.query(insertSeenSql, [consumer, outboxIds]);
    return new Set(rows.map(({ outbox_id }) => outbox_id));
  }
}

const insertSeenSql = prepared(
  'insert inbox',
  `insert into inbox (consumer, outbox_id) select $1, unnest($2::uuid[]) on conflict do nothing returning outbox_id`,
);
