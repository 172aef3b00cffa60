import { uuidOf } from '#database';
import type { Sql } from '#database';

/** Mail is answered that late at the most; the same as the audit log. */
const keptDays = 400;
const atOnce = 5_000;

/** What came of the mail of somebody who is gone, and when: they want no more, or it does not arrive. */
export interface Farewell {
  organizationId: string;
  subscriberId: string;
  at: string;
  /** The address that it is about; without one, the last that they had. */
  addressHash?: string;
}

/** Which address a deleted subscriber had, as a keyed hash, for what their mail brings afterwards. */
export class FormerSubscriberRepository {
  constructor(private readonly sql: Sql) {}

  /** Leaves marks with the addresses of those of these people who were deleted; others are passed over. */
  async mark(kind: 'unsubscribed' | 'complained' | 'hard_bounced', farewells: readonly Farewell[]): Promise<void> {
    const column = `${kind}_at`;
    await this.sql.query(
      `insert into address_mark as m (organization_id, address_hash, ${column})
       select f.organization_id, f.address_hash, max(u.at)
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) u(organization, subscriber, at, hash)
       join former_subscriber f on f.organization_id = u.organization and f.subscriber_id = u.subscriber
         and f.address_hash = coalesce(u.hash, f.address_hash)
       group by 1, 2 order by 1, 2
       on conflict (organization_id, address_hash) do update set ${column} = greatest(m.${column}, excluded.${column})`,
      [
        farewells.map(({ organizationId }) => uuidOf('org', organizationId)),
        farewells.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        farewells.map(({ at }) => at),
        farewells.map(({ addressHash }) => addressHash ?? null),
      ],
    );
  }

  /** Forgets some who were deleted long ago. @returns how many */
  async deleteOld(): Promise<number> {
    const [, gone] = await this.sql.query<[unknown[], number]>(
      `delete from former_subscriber where (organization_id, subscriber_id) in (
         select organization_id, subscriber_id from former_subscriber
         where deleted_at < clock_timestamp() - make_interval(days => $1) order by deleted_at limit $2)`,
      [keptDays, atOnce],
    );
    return gone;
  }
}
