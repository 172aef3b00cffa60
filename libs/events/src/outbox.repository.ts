import { prepared } from '#database';
import type { Sql } from '#database';
import type { EventBatch } from './outbox.js';

/** A waiting event batch; its events as JSON text, which is not parsed on the way. */
export interface PendingBatch {
  outboxId: string;
  events: string;
}

/** Some 256 KB each at most; far less in truth. */
const rebuiltAtOnce = 2_000;
/** How long each inbox keeps what it has seen. */
const inboxHours = 72;
/** Of the rows that one statement looks at, to find those that a consumer missed, and of those that it reads then. */
const rowsLookedAt = 5_000;
const rowsRead = 200;

/** Messages of a lane that a consumer missed: those between two numbers. */
export interface MissedMessages {
  lane: number;
  afterNumber: number;
  beforeNumber: number;
}

export interface MissedBatch extends EventBatch {
  lane: number;
  /** Of the message that carried it. */
  number: number;
}

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

  /**
   * Records what was published: of each lane one message, with its number, which is the last one of the lane while `owner`
   * holds it.
   */
  async updatePublished(
    outboxIds: readonly string[],
    owner: string,
    numbers: ReadonlyMap<number, number>,
  ): Promise<void> {
    await this.sql.query(
      `with last as materialized (select * from unnest($2::smallint[], $3::bigint[]) n(lane, number)),
       published as (
         update outbox o set published_at = clock_timestamp(), number = n.number
         from last n where o.outbox_id = any($1::uuid[]) and o.lane = n.lane)
       update lane_lease l set position = jsonb_build_object('number', n.number)
       from last n where l.role = 'relay' and l.lane = n.lane and l.owner = $4`,
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
   * events would exceed the statement timeout at every attempt, and publishing would stop. What is older than the inboxes
   * remember stays: those that have applied it would apply it again.
   */
  async #updateUnpublished(): Promise<void> {
    const [start]: { at: string }[] = await this.sql.query(`select clock_timestamp()::text as at`);
    const [first]: { id: string }[] = await this.sql.query(
      `select uuid_floor(clock_timestamp() - make_interval(hours => $1)) as id`,
      [inboxHours],
    );
    for (let last: string | null = first!.id; last !== null;) {
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

  /**
   * Finds published batches by the numbers of their messages, in the order of their ids.
   * @param page `after`: the `next` of the call before; null begins at `from`, or at the oldest. `bytesMax`: of events; the
   * first batch may exceed it
   * @returns some of them, perhaps none, and the id after which to go on; null at the end
   */
  async listMissed(
    missed: readonly MissedMessages[],
    { after, from, bytesMax }: { after: string | null; from: Date | null; bytesMax: number },
  ): Promise<{ batches: MissedBatch[]; next: string | null }> {
    const rows: (Omit<MissedBatch, 'outboxId'> & { outboxId: string | null; last: string | null })[] =
      await this.sql.query(listMissedSql, [
        missed.map(({ lane }) => lane),
        missed.map(({ afterNumber }) => afterNumber),
        missed.map(({ beforeNumber }) => beforeNumber),
        ...[after, from, rowsLookedAt, rowsRead, bytesMax],
      ]);
    const batches = rows.flatMap(({ outboxId, lane, number, events }) =>
      outboxId === null ? [] : [{ outboxId, lane, number, events }],
    );
    return { batches, next: rows[0]!.last };
  }

  /** Notes envelopes as seen by a consumer. @returns those it had not seen: only these are applied */
  async insertSeen(consumer: string, outboxIds: readonly string[]): Promise<Set<string>> {
    const rows: { outbox_id: string }[] = await this.sql.query(insertSeenSql, [consumer, outboxIds]);
    return new Set(rows.map(({ outbox_id }) => outbox_id));
  }
}

// One row at least, which says where to go on.
const listMissedSql = `
  with looked as materialized (
    select outbox_id, lane, number from outbox
    where outbox_id > coalesce($4::uuid, uuid_floor($5::timestamptz), '00000000-0000-0000-0000-000000000000')
    order by outbox_id limit $6),
  found as materialized (
    select outbox_id, lane, number from looked o where exists (
      select from unnest($1::smallint[], $2::bigint[], $3::bigint[]) m(lane, after_number, before_number)
      where m.lane = o.lane and o.number > after_number and o.number < before_number)
    order by outbox_id limit $7 + 1),
  read as materialized (
    select f.*, o.events, sum(length(o.events::text)) over (order by f.outbox_id) - length(o.events::text) as bytes_before
    from (select * from found order by outbox_id limit $7) f join outbox o using (outbox_id)),
  part as (select * from read where bytes_before = 0 or bytes_before < $8),
  ends as (
    select case when (select count(*) from part) < (select count(*) from found) then (select outbox_id from part order by 1 desc limit 1)
      when (select count(*) from looked) = $6 then (select outbox_id from looked order by 1 desc limit 1) end as last)
  select p.outbox_id as "outboxId", p.lane, p.number::float8 as number, p.events, e.last
  from ends e left join part p on true order by p.outbox_id`;

const insertSeenSql = prepared(
  'insert inbox',
  `insert into inbox (consumer, outbox_id) select $1, unnest($2::uuid[]) on conflict do nothing returning outbox_id`,
);
