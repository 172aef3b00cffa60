import { prepared, uuidOf } from '#database';
import type { Sql } from '#database';
import type { Grant, Return, Take } from './permit.js';

/**
 * Calls of each organization in a ring of one-second slots. `slots[1]` counts the second `head`, `slots[61]` the one 60
 * seconds earlier. A window of 60 seconds touches up to 61 seconds, so that a limit on the sum of 61 slots holds in
 * every window; the price is that a call is counted up to one second longer than it must be.
 */
export class PermitRepository {
  /** @param statement takes permits; tests of the window put another time into it */
  constructor(
    private readonly sql: Sql,
    private readonly statement = takeNow,
  ) {}

  /**
   * Takes permits, of each organization as many as its last 60 seconds have left.
   * @param takes each organization or user once, sorted by its id: rows are locked in this order
   *
   * One statement. The row it would insert holds what an empty window grants; on a known organization that row is
   * `excluded`, and the ring is first moved on to the present second. The clock is read once, behind the row's lock, so
   * that waiting callers do not write into the past. Should it have been set back (by more than the window: no other way
   * would let old calls leave) the head follows it.
   */
  async take(takes: readonly Take[]): Promise<Grant[]> {
    const ids = takes.map(uuidOfTaker);
    const rows: {
      organization_id: string;
      granted: number;
      remaining: number;
      reset_at: number;
      reset_in_ms: number;
      second: number;
      second_ends_in_ms: number;
    }[] = await this.sql.query(this.statement, [ids, takes.map(({ limit }) => limit), takes.map(({ count }) => count)]);
    const given = new Map(ids.map((id, place) => [id, takes[place]!.organizationId]));
    return rows.map((row) => ({
      organizationId: given.get(row.organization_id)!,
      granted: row.granted,
      remaining: row.remaining,
      resetAt: row.reset_at,
      resetInMs: row.reset_in_ms,
      second: row.second,
      secondEndsInMs: row.second_ends_in_ms,
    }));
  }

  /** Takes unused permits out of their second; those whose second has left the window are not counted any more. */
  async giveBack(returns: readonly Return[]): Promise<void> {
    await this.sql.query(giveBackSql, [
      returns.map(uuidOfTaker),
      returns.map(({ second }) => second),
      returns.map(({ count }) => count),
    ]);
  }
}

const uuidOfTaker = ({ organizationId: id }: { organizationId: string }) =>
  uuidOf(id.startsWith('usr_') ? 'usr' : 'org', id);

/** SQL: takes permits. @param clock the SQL expression of the present */
export const takeSql = (clock: string): string => {
  const resetAt = '(select head + 62 - max(age) from unnest(slots) with ordinality s(n, age) where n > 0)';
  const second = `floor(extract(epoch from ${clock}))::bigint`;
  return `insert into rate_ring as r (organization_id, per_minute, head, slots, granted)
     select u.id, u.per_minute, ${second}, least(u.asked, u.per_minute) || array_fill(0, array[60]), least(u.asked, u.per_minute)
     from unnest($1::uuid[], $2::int[], $3::int[]) with ordinality u(id, per_minute, asked, place) order by u.place
     on conflict (organization_id) do update set (per_minute, head, slots, granted) = (
       select excluded.per_minute, moved.head, (moved.slots[1] + now.granted) || moved.slots[2:61], now.granted
       from (select ${second} as second offset 0) clock,
       lateral (select case when r.head - clock.second > 60 then clock.second else greatest(r.head, clock.second) end as head,
         (array_fill(0, array[least(61, greatest(0, clock.second - r.head))::int]) || r.slots)[1:61] as slots) moved,
       lateral (select greatest(0, least(excluded.granted, excluded.per_minute - sum(n)))::int as granted
         from unnest(moved.slots) n) now)
     returning organization_id, granted, head::float8 as second,
       least(1000, floor(1000 * (head + 1 - extract(epoch from ${clock}))))::float8 as second_ends_in_ms,
       (select greatest(0, per_minute - sum(n))::int from unnest(slots) n) as remaining,
       ${resetAt}::float8 as reset_at, ceil(1000 * (${resetAt} - extract(epoch from ${clock})))::float8 as reset_in_ms`;
};

const takeNow = prepared('take permits', takeSql('clock_timestamp()'));

const giveBackSql = prepared(
  'give back permits',
  `with unused as (select * from unnest($1::uuid[], $2::bigint[], $3::int[]) u(id, second, count)),
   held as materialized (
     select organization_id from rate_ring where organization_id in (select id from unused) order by organization_id for update)
   update rate_ring r set slots[(r.head - u.second)::int + 1] = greatest(0, r.slots[(r.head - u.second)::int + 1] - u.count)
   from held h join unused u on u.id = h.organization_id
   where r.organization_id = h.organization_id and r.head - u.second between 0 and 60`,
);
