import { protocolVersion } from '#contracts';
import { prepared, ReplicaRepository } from '#database';
import type { Sql } from '#database';
import { laneCount } from './lane.js';

/** A lane held for a role, with the fence that outlives no successor. */
export interface HeldLane {
  lane: number;
  fence: string;
}

/** Who works on which lane, by the database's clock. */
export class LaneLeaseRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Renews the lanes of `owner` and takes free or expired ones. A new owner gets a higher fencing token. Skips a lane
   * whose row a batch has locked, so that no process waits for that batch.
   * @returns the lanes it holds from now on
   */
  async claim(role: string, owner: string, leaseSeconds: number): Promise<HeldLane[]> {
    await new ReplicaRepository(this.sql).renew(role, owner, protocolVersion, leaseSeconds);
    const held = await this.#take(role, owner, leaseSeconds);
    if (held.length > 0) return held;
    // Other processes hold all lanes, or the rows do not exist yet.
    await this.sql.query(
      `insert into lane_lease (role, lane, owner, fence, until)
       select $1, n, $2, 0, clock_timestamp() - interval '1 second' from generate_series(0, $3 - 1) n
       where (select count(*) from lane_lease where role = $1) < $3 order by n on conflict do nothing`,
      [role, owner, laneCount],
    );
    return await this.#take(role, owner, leaseSeconds);
  }

  async #take(role: string, owner: string, leaseSeconds: number): Promise<HeldLane[]> {
    return await this.sql.query(
      `with free as materialized (
         select lane from lane_lease where role = $1 and (owner = $2 or until < clock_timestamp()) order by lane for update skip locked),
       renewed as (
         update lane_lease l set owner = $2, until = clock_timestamp() + make_interval(secs => $3),
           fence = case when l.owner = $2 and l.fence > 0 then l.fence else l.fence + 1 end
         from free where l.role = $1 and l.lane = free.lane returning l.lane, l.fence)
       select lane, fence::text from renewed
       union all
       select lane, fence::text from lane_lease where role = $1 and owner = $2 and until > clock_timestamp()
         and lane not in (select lane from renewed)`,
      [role, owner, leaseSeconds],
    );
  }

  async release(role: string, owner: string): Promise<void> {
    await this.sql.query(`update lane_lease set until = clock_timestamp() where role = $1 and owner = $2`, [
      role,
      owner,
    ]);
    await new ReplicaRepository(this.sql).end(role, owner);
  }

  /**
   * Locks a lane for the rest of the transaction and extends its lease to `leaseSeconds` from now. An expired lease is
   * extended too, unless another owner took it. @returns false when another owner has it
   */
  async hold(role: string, owner: string, { lane, fence }: HeldLane, leaseSeconds: number): Promise<boolean> {
    const [, held]: [unknown, number] = await this.sql.query(holdSql, [role, lane, owner, fence, leaseSeconds]);
    return held > 0;
  }
}

const holdSql = prepared(
  'hold lane',
  `update lane_lease set until = clock_timestamp() + make_interval(secs => $5)
   where role = $1 and lane = $2 and owner = $3 and fence = $4`,
);
