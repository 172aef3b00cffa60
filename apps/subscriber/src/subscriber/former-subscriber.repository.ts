import { prepared, uuidOf, wireId } from '#database';
import type { Sql } from '#database';

/** Days within which mail may be answered; the same as for the audit log. */
const keptDays = 400;
const atOnce = 5_000;

export type MarkKind = 'unsubscribed' | 'complained' | 'hard_bounced';

/** A reason not to mail an address, and since when; instants are ISO 8601. */
export interface SuppressionEntry {
  organizationId: string;
  addressHash: string;
  at: string;
}

export interface FormerSubscriber {
  addressHash: string;
  /** The subscriber that got the address afterwards, who may be deleted too; null for none yet. */
  successorId: string | null;
  optedInAt: Date | null;
  reactivatedAt: Date | null;
}

export interface FormerAddress {
  holderId: string | null;
  reactivatedAt: Date | null;
}

/**
 * Both tables are also locks: an answer to old mail and the creation of a successor wait for each other here, so that
 * neither misses the other.
 */
export class FormerSubscriberRepository {
  constructor(private readonly sql: Sql) {}

  /** Records that a locked, existing subscriber leaves an address by deletion or rename. */
  async upsertAddress(organizationId: string, subscriberId: string, addressHash: string): Promise<void> {
    await this.sql.query(
      `insert into former_address as f (organization_id, address_hash, reactivated_at)
       select $1, $3, case when address_at is null or address_at <= reactivated_at then reactivated_at end
       from subscriber where organization_id = $1 and subscriber_id = $2
       on conflict (organization_id, address_hash) do update set holder_id = null, left_at = clock_timestamp(),
         reactivated_at = greatest(f.reactivated_at, excluded.reactivated_at)`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), addressHash],
    );
  }

  /** Records a locked subscriber that is about to be deleted. */
  async insert(organizationId: string, subscriberId: string, addressHash: string): Promise<void> {
    await this.sql.query(
      `insert into former_subscriber (organization_id, subscriber_id, address_hash, opted_in_at, reactivated_at)
       select $1, $2, $3, opted_in_at, reactivated_at from subscriber where organization_id = $1 and subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), addressHash],
    );
  }

  /**
   * Makes subscribers the successors of all former subscribers of their address that have no existing successor. Rows
   * are locked in key order; the caller reads the suppressions of the addresses afterwards, never before.
   */
  async updateSuccessors(
    organizationId: string,
    arrivals: readonly { id: string; addressHash: string }[],
  ): Promise<void> {
    await this.sql.query(updateSuccessorsSql, [
      uuidOf('org', organizationId),
      arrivals.map(({ id }) => uuidOf('sub', id)),
      arrivals.map(({ addressHash }) => addressHash),
    ]);
  }

  /** Locks a deleted subscriber. @returns null for one that was not deleted, or whose record has expired */
  async lockById(organizationId: string, subscriberId: string): Promise<FormerSubscriber | null> {
    const rows: { address_hash: string; successor_id: string | null; opted_in_at: Date; reactivated_at: Date }[] =
      await this.sql.query(
        `select address_hash, successor_id, opted_in_at, reactivated_at from former_subscriber
         where organization_id = $1 and subscriber_id = $2 for update`,
        [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
      );
    return (
      rows.map((row) => ({
        addressHash: row.address_hash,
        successorId: row.successor_id && wireId('sub', row.successor_id),
        optedInAt: row.opted_in_at,
        reactivatedAt: row.reactivated_at,
      }))[0] ?? null
    );
  }

  /** Reads an address that was left; the lock of a former subscriber of it suffices. */
  async findAddress(organizationId: string, addressHash: string): Promise<FormerAddress | null> {
    return await this.#address(organizationId, addressHash, '');
  }

  /** Locks an address that was left. @returns null for one that was not */
  async lockAddress(organizationId: string, addressHash: string): Promise<FormerAddress | null> {
    return await this.#address(organizationId, addressHash, 'for update');
  }

  async #address(organizationId: string, addressHash: string, lock: string): Promise<FormerAddress | null> {
    const rows: { holder_id: string | null; reactivated_at: Date | null }[] = await this.sql.query(
      `select holder_id, reactivated_at from former_address where organization_id = $1 and address_hash = $2 ${lock}`,
      [uuidOf('org', organizationId), addressHash],
    );
    return (
      rows.map(({ holder_id, reactivated_at }) => ({
        holderId: holder_id && wireId('sub', holder_id),
        reactivatedAt: reactivated_at,
      }))[0] ?? null
    );
  }

  /** Adds suppression entries of addresses; of two entries of one kind the newer one stays. */
  async upsertMarks(kind: MarkKind, marks: readonly SuppressionEntry[]): Promise<void> {
    if (marks.length === 0) return;
    const column = `${kind}_at`;
    await this.sql.query(
      `insert into address_mark as m (organization_id, address_hash, ${column})
       select u.organization, u.hash, max(u.at) from unnest($1::uuid[], $2::text[], $3::timestamptz[]) u(organization, hash, at)
       group by 1, 2 order by 1, 2
       on conflict (organization_id, address_hash) do update set ${column} = greatest(m.${column}, excluded.${column})`,
      [
        marks.map(({ organizationId }) => uuidOf('org', organizationId)),
        marks.map(({ addressHash }) => addressHash),
        marks.map(({ at }) => at),
      ],
    );
  }

  /** Deletes some old records of deleted subscribers and left addresses. @returns how many */
  async deleteOld(): Promise<number> {
    const gone = await Promise.all(
      [
        ['former_subscriber', 'subscriber_id', 'deleted_at'],
        ['former_address', 'address_hash', 'left_at'],
      ].map(async ([table, key, at]) => {
        const [, n] = await this.sql.query<[unknown[], number]>(
          `delete from ${table} where (organization_id, ${key}) in (
             select organization_id, ${key} from ${table}
             where ${at} < clock_timestamp() - make_interval(days => $1) order by ${at} limit $2)`,
          [keptDays, atOnce],
        );
        return n;
      }),
    );
    return Math.max(...gone);
  }
}

const updateSuccessorsSql = prepared(
  'link successors',
  `with arrival as materialized (select * from unnest($2::uuid[], $3::text[]) a(id, hash)),
   address as materialized (
     select f.address_hash as hash, a.id from arrival a
     join former_address f on f.organization_id = $1 and f.address_hash = a.hash order by 1 for update of f),
   held as (
     update former_address f set holder_id = a.id from address a
     where f.organization_id = $1 and f.address_hash = a.hash),
   former as materialized (
     select f.subscriber_id as former_id, a.id from arrival a
     join former_subscriber f on f.organization_id = $1 and f.address_hash = a.hash
     where f.successor_id is null or not exists (
       select from subscriber s where s.organization_id = $1 and s.subscriber_id = f.successor_id)
     order by 1 for update of f)
   update former_subscriber f set successor_id = former.id from former
   where f.organization_id = $1 and f.subscriber_id = former.former_id`,
);
