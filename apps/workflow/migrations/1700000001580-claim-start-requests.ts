import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/*
 * Claims the oldest request of each subscriber, at most `per_organization` of each organization; one that has an earlier
 * request of its subscriber before it waits for that one's end.
 *
 * The queue is mostly empty when it is analyzed, so that the planner would read, sort and test all requests that wait.
 * Without sorts only one index has the order by organization and number, whose scan ends at the limit; the rows are
 * compared whole, since the order by number alone is also that of the primary key. Earlier requests can be found by one
 * index only, as ids of subscribers are unique in the installation.
 */
const claimSql = `create function claim_start_requests(per_organization int, lease_seconds float8)
  returns setof start_request language sql set enable_sort = off set enable_bitmapscan = off set jit = off as $$
  with recursive tenant (org) as (
    (select organization_id from start_request order by organization_id limit 1)
    union all
    select (select organization_id from start_request n where n.organization_id > t.org order by n.organization_id limit 1)
    from tenant t where t.org is not null),
  due as materialized (
    select d.seq from tenant t cross join lateral (
      select p.seq from start_request p
      where (p.organization_id, p.seq) > (t.org, 0) and (p.organization_id, p.seq) <= (t.org, ${2n ** 63n - 1n})
        and p.until < statement_timestamp()
        and not exists (select from start_request e where e.subscriber_id = p.subscriber_id and coalesce(e.seq, 0) < p.seq offset 0)
      order by p.organization_id, p.seq limit per_organization for update skip locked) d)
  update start_request q set until = clock_timestamp() + make_interval(secs => lease_seconds)
  where q.seq = any(array(select seq from due))
  returning q.* $$`;

/** Requests of one subscriber are found by an index without the organization. */
export class ClaimStartRequests1700000001580 implements MigrationInterface {
  name = 'ClaimStartRequests1700000001580';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      withShortLocks(`create index start_request_by_subscriber on start_request (subscriber_id);
        drop index start_request_of_subscriber;`),
    );
    await runner.query(claimSql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
