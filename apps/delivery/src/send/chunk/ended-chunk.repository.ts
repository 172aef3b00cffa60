import type { Sql } from '#database';

/** Number of the row of `send_page` that has the added counters of chunks that are deleted. */
export const totalsChunk = -1;

/** Days after the end of a send for which its chunks and attempt marks stay. */
const keptDays = 30;
const rowsMax = 5_000;
const sendsMax = 50;

const counters = ['sent', 'delivered', 'bounced', 'failed', 'deferred', 'in_doubt'];

/** SQL: the counts of `skipped` by reason in `rows`, which have a column `skipped`; without zeros. */
const addedSkips = (rows: string) => `coalesce((
      select jsonb_object_agg(k.reason, k.n) filter (where k.n <> 0)
      from (select e.key as reason, sum(e.value::int)::int as n from ${rows} r(skipped) cross join lateral jsonb_each_text(r.skipped) e group by e.key) k), '{}')`;

/** SQL: assigns the sums of the totals and the inserted row. */
export const addToTotalsSql = `${counters.map((name) => `${name} = p.${name} + excluded.${name}`).join(', ')},
    skipped = ${addedSkips(`(values (p.skipped), (excluded.skipped))`)}`;

/**
 * A deleted chunk returns its counters as they are then, so that a report that changes them at this moment is in the
 * totals. A send with a deferred message or an open chunk is in progress.
 */
const deleteSql = `
  with ended as materialized (
    select s.organization_id, s.send_id from send s
    where s.chunks_kept and s.finished_at < $1::timestamptz - interval '${keptDays} days'
      and not exists (select from send_page p where p.organization_id = s.organization_id and p.send_id = s.send_id
        and (p.state <> 'DONE' or p.deferred > 0))
    order by s.finished_at limit ${sendsMax} for no key update of s skip locked),
  chunk as (
    delete from send_page p using (
      select p.organization_id, p.send_id, p.page_no from send_page p join ended using (organization_id, send_id)
      where p.page_no <> ${totalsChunk} order by 1, 2, 3 limit ${rowsMax}) o
    where p.organization_id = o.organization_id and p.send_id = o.send_id and p.page_no = o.page_no returning p.*),
  mark as (
    delete from send_attempt a using (
      select a.organization_id, a.send_id, a.chunk_no, a.fence, a.relay_id from send_attempt a join ended using (organization_id, send_id)
      order by 1, 2, 3, 4, 5 limit ${rowsMax}) o
    where a.organization_id = o.organization_id and a.send_id = o.send_id and a.chunk_no = o.chunk_no and a.fence = o.fence
      and a.relay_id = o.relay_id returning 1),
  total as (
    insert into send_page as p (organization_id, send_id, page_no, state, ${counters.join(', ')}, skipped)
    select c.organization_id, c.send_id, ${totalsChunk}, 'DONE', ${counters.map((name) => `sum(c.${name})::int`).join(', ')},
      ${addedSkips(`(select d.skipped from chunk d where d.organization_id = c.organization_id and d.send_id = c.send_id)`)}
    from chunk c group by c.organization_id, c.send_id order by c.organization_id, c.send_id
    on conflict (organization_id, send_id, page_no) do update set ${addToTotalsSql}),
  counted as materialized (
    select (select count(*)::int from ended) as sends, (select count(*)::int from chunk) as chunks, (select count(*)::int from mark) as marks),
  done as (
    update send s set chunks_kept = false from ended e, counted
    where s.organization_id = e.organization_id and s.send_id = e.send_id and counted.chunks < ${rowsMax} and counted.marks < ${rowsMax})
  select sends + chunks + marks as n from counted`;

/** The chunks of sends that ended, and their attempt marks. */
export class EndedChunkRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Deletes chunks and attempt marks of sends that ended more than 30 days before `now`, at most 5,000 of each, and adds
   * the counters of the chunks to the totals of their send.
   * @returns the number of rows it deleted and of sends it looked at; 0 when none is left
   */
  async deleteOld(now: Date): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(deleteSql, [now]);
    return rows[0]!.n;
  }
}
