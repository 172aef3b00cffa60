import { protocolVersion } from '#contracts';
import { prepared, ReplicaRepository } from '#database';
import type { Sql } from '#database';
import { laneCount } from './lane.js';

/** A lane held for a role, with the fence that outlives no successor. */
export interface HeldLane {
  lane: number;
  fence: string;
}

/** How far a consumer has applied a lane. */
export interface LanePosition {
  /** Of which stream, by its creation. */
  created: string;
  sequence: number;
  /** The number of the last message by source. */
  numbers: Record<string, number>;
}

export interface ClaimedLane extends HeldLane {
  /** More than this owner's share: to be released after the running batch. */
  isSurplus: boolean;
  /** Of a publisher: the number of the last message in the lane; 0 before the first. */
  number: number;
}

const noOwner = '00000000-0000-0000-0000-000000000000';

/** The broadcast by which a process says that it has released lanes, which others would else claim at their next renewal. */
export const releasedBroadcast = (kind: 'consumer' | 'outbox', service: string): string => `lanes.${kind}.${service}`;

/** Who works on which lane, by the database's clock. */
export class LaneLeaseRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Says that `owner` lives, renews its lanes and takes free or expired ones up to its share of the live owners. A new
   * owner gets a higher fencing token. Skips a lane whose row a batch has locked, so that no process waits for that batch.
   * @returns the lanes it holds from now on, and those it is to release
   */
  async claim(role: string, owner: string, leaseSeconds: number): Promise<ClaimedLane[]> {
    await new ReplicaRepository(this.sql).renew(role, owner, protocolVersion, leaseSeconds);
    const held = await this.#take(role, owner, leaseSeconds);
    if (held.length > 0) return held;
    // Other processes hold all lanes, or the rows do not exist yet.
    await this.sql.query(
      `insert into lane_lease (role, lane, owner, fence, until)
       select $1, n, $2, 0, clock_timestamp() - interval '1 second' from generate_series(0, $3 - 1) n
       where (select count(*) from lane_lease where role = $1) < $3 order by n on conflict do nothing`,
      [role, noOwner, laneCount],
    );
    return await this.#take(role, owner, leaseSeconds);
  }

  /**
   * Lanes are ordered by a hash of lane and owner (rendezvous hashing), so that owners prefer different ones. A process
   * of an older program has no row in `replica` and is counted by the lanes it leases.
   */
  async #take(role: string, owner: string, leaseSeconds: number): Promise<ClaimedLane[]> {
    return await this.sql.query(
      `with live as materialized (
         select owner from replica where role = $1 and until > clock_timestamp()
         union select owner from lane_lease where role = $1 and until > clock_timestamp()
         union select $2::uuid),
       share as materialized (select ceil($4::numeric / count(*))::int as n from live),
       own as materialized (
         select lane, fence, until, position, row_number() over (order by hashtextextended(lane || ' ' || owner, 0)) as place
         from lane_lease where role = $1 and owner = $2),
       free as materialized (
         select lane from lane_lease where role = $1 and owner <> $2 and until < clock_timestamp()
         order by hashtextextended(lane || ' ' || $2, 0)
         limit (select greatest((select n from share) - count(*), 0) from own) for update skip locked),
       kept as materialized (
         select lane from lane_lease where role = $1 and owner = $2
           and lane in (select lane from own, share where place <= n) for update skip locked),
       renewed as (
         update lane_lease l set owner = $2, until = clock_timestamp() + make_interval(secs => $3),
           fence = case when l.owner = $2 and l.fence > 0 then l.fence else l.fence + 1 end
         from (select lane from free union all select lane from kept) taken
         where l.role = $1 and l.lane = taken.lane returning l.lane, l.fence, l.position)
       select lane, fence::text, false as "isSurplus", coalesce((position ->> 'number')::float8, 0) as number from renewed
       union all
       select lane, fence::text, place > n, coalesce((position ->> 'number')::float8, 0) from own, share
       where lane not in (select lane from renewed) and until > clock_timestamp()
       order by lane`,
      [role, owner, leaseSeconds, laneCount],
    );
  }

  /** Releases a lane of an owner that goes on, or, without a lane, all lanes of one that ends. */
  async release(role: string, owner: string, lane?: number): Promise<void> {
    await this.sql.query(
      `update lane_lease set until = clock_timestamp(), owner = $3
       where role = $1 and owner = $2 and lane = coalesce($4, lane)`,
      [role, owner, noOwner, lane ?? null],
    );
    if (lane === undefined) await new ReplicaRepository(this.sql).end(role, owner);
  }

  /**
   * Locks a lane for the rest of the transaction, extends its lease to `leaseSeconds` from now and stores how far it is
   * applied with it. An expired lease is extended too, unless another owner took it.
   * @returns false when another owner has it
   */
  async hold(
    role: string,
    owner: string,
    { lane, fence }: HeldLane,
    { leaseSeconds, position }: { leaseSeconds: number; position: LanePosition },
  ): Promise<boolean> {
    const [, held]: [unknown, number] = await this.sql.query(holdSql, [
      role,
      lane,
      owner,
      fence,
      leaseSeconds,
      JSON.stringify(position),
    ]);
    return held > 0;
  }

  /** Raises the fence of a lane that its owner begins to read again. @returns null when another owner has it */
  async raiseFence(role: string, owner: string, { lane, fence }: HeldLane): Promise<HeldLane | null> {
    const [rows]: [{ fence: string }[], number] = await this.sql.query(
      `update lane_lease set fence = fence + 1 where role = $1 and lane = $2 and owner = $3 and fence = $4
       returning fence::text`,
      [role, lane, owner, fence],
    );
    return rows[0] ? { lane, fence: rows[0].fence } : null;
  }

  async findPosition(role: string, lane: number): Promise<LanePosition | null> {
    const rows: { position: LanePosition | null }[] = await this.sql.query(
      `select position from lane_lease where role = $1 and lane = $2`,
      [role, lane],
    );
    return rows[0]?.position ?? null;
  }

  /** Returns the number of the last message of a source that a consumer applied, of lanes of which it applied any. */
  async listNumbers(role: string, source: string): Promise<{ lane: number; number: number }[]> {
    return await this.sql.query(
      `select lane, (position -> 'numbers' ->> $2)::float8 as number from lane_lease
       where role = $1 and position -> 'numbers' ->> $2 is not null order by lane`,
      [role, source],
    );
  }

  /** Returns the lanes of a role with their fences. */
  async list(role: string): Promise<HeldLane[]> {
    return await this.sql.query(`select lane, fence::text from lane_lease where role = $1 order by lane`, [role]);
  }
}

const holdSql = prepared(
  'hold lane',
  `update lane_lease set until = clock_timestamp() + make_interval(secs => $5), position = $6::jsonb
   where role = $1 and lane = $2 and owner = $3 and fence = $4`,
);
