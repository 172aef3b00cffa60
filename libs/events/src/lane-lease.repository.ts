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
   * Renews the lanes of `owner` and takes those that are free or expired. A new owner gets a higher fence.
   * @returns the lanes it holds from now on
   */
  async claim(role: string, owner: string, leaseSeconds: number): Promise<HeldLane[]> {
    const rows: { lane: number; fence: string }[] = await this.sql.query(
      `insert into lane_lease as l (role, lane, owner, fence, until)
       select $1, n, $2, 1, clock_timestamp() + make_interval(secs => $3) from generate_series(0, $4 - 1) n order by n
       on conflict (role, lane) do update set owner = excluded.owner, until = excluded.until,
         fence = case when l.owner = excluded.owner then l.fence else l.fence + 1 end
       where l.owner = excluded.owner or l.until < clock_timestamp()
       returning lane, fence::text`,
      [role, owner, leaseSeconds, laneCount],
    );
    return rows;
  }

  /** Gives lanes back, so that another process need not wait for the lease to end. */
  async release(role: string, owner: string): Promise<void> {
    await this.sql.query(`update lane_lease set until = clock_timestamp() where role = $1 and owner = $2`, [
      role,
      owner,
    ]);
  }

  /** Holds the lease for the rest of the transaction. @returns false when another owner has it */
  async hold(role: string, owner: string, { lane, fence }: HeldLane): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `select 1 from lane_lease where role = $1 and lane = $2 and owner = $3 and fence = $4 and until > clock_timestamp() for share`,
      [role, lane, owner, fence],
    );
    return rows.length > 0;
  }
}
