import type { SubscriberStatus } from '#contracts';
import { TallyRepository, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { TagPair } from '../tag/subscriber-tag.repository.js';
import { dropEmptyMark, keepMarks, markedOr } from '../suppression/suppression-entry.repository.js';
import { statusMetric } from './subscriber-change.service.js';
import { FormerSubscriberRepository } from './former-subscriber.repository.js';
import type { Address } from './profile.js';
import type { SubscriberState } from './subscriber.js';

/** What an update leaves behind: every column it may change, with its value afterwards. */
export type SubscriberUpdate = Pick<
  SubscriberState,
  'id' | 'name' | 'phone' | 'country' | 'ip' | 'status' | 'custom' | 'withheldTags'
> & { statusChanged: boolean; confirmationDue: boolean };

interface StateRow {
  subscriber_id: string;
  email: string;
  email_key: string;
  name: string | null;
  phone: string | null;
  country: string | null;
  ip: string | null;
  status: SubscriberStatus;
  banned: boolean;
  hard_bounced: boolean;
  complained: boolean;
  custom: Record<string, string>;
  withheld_tags: string[] | null;
  confirmation_due: boolean;
  confirmation_sent_at: Date | null;
  address_at: Date | null;
  opted_in_at: Date | null;
  reactivated_at: Date | null;
}

const stateColumns = `subscriber_id, email, email_key, name, phone, country, ip, status, banned_at is not null as banned,
  hard_bounced_at is not null as hard_bounced, complained_at is not null as complained, custom, withheld_tags,
  confirmation_due_at is not null as confirmation_due, confirmation_sent_at, address_at, opted_in_at,
  reactivated_at`;

export type KeyedState = SubscriberState & { emailKey: string };

const stateOf = (row: StateRow): KeyedState => ({
  id: wireId('sub', row.subscriber_id),
  email: row.email,
  emailKey: row.email_key,
  name: row.name,
  phone: row.phone,
  country: row.country,
  ip: row.ip,
  status: row.status,
  marks: { banned: row.banned, hardBounced: row.hard_bounced, complained: row.complained },
  custom: row.custom,
  withheldTags: (row.withheld_tags ?? []).map((uuid) => wireId('tag', uuid)),
  confirmationDue: row.confirmation_due,
  confirmationSentAt: row.confirmation_sent_at,
  addressAt: row.address_at,
  optedInAt: row.opted_in_at,
  reactivatedAt: row.reactivated_at,
});

export const tagUuids = (ids: readonly string[]) => (ids.length > 0 ? ids.map((id) => uuidOf('tag', id)) : null);

export class SubscriberRepository {
  constructor(private readonly sql: Sql) {}

  /** Finds a subscriber by address. @returns null when no subscriber has it */
  async findByKey(organizationId: string, emailKey: string): Promise<KeyedState | null> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and email_key = $2`,
      [uuidOf('org', organizationId), emailKey],
    );
    return rows[0] ? stateOf(rows[0]) : null;
  }

  async listByKeys(organizationId: string, emailKeys: readonly string[]): Promise<Map<string, KeyedState>> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and email_key = any($2)`,
      [uuidOf('org', organizationId), emailKeys],
    );
    return new Map(rows.map((row) => [row.email_key, stateOf(row)]));
  }

  /**
   * Locks subscribers by address for the rest of the transaction, in id order as every other lock of several, so that
   * what the rules decide on what they read stays true until it is written.
   */
  async lockByKeys(organizationId: string, emailKeys: readonly string[]): Promise<Map<string, KeyedState>> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and email_key = any($2)
       order by subscriber_id for update`,
      [uuidOf('org', organizationId), emailKeys],
    );
    return new Map(rows.map((row) => [row.email_key, stateOf(row)]));
  }

  /**
   * Counts subscribers from their tally, without additions of open transactions; transactions that count wait for one
   * another until their end.
   */
  async countLocked(organizationId: string): Promise<number> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('number of subscribers ' || $1, 0))`, [
      organizationId,
    ]);
    return await this.count(organizationId);
  }

  async count(organizationId: string): Promise<number> {
    const counts = await new TallyRepository(this.sql).listByKey(organizationId, statusMetric);
    return [...counts.values()].reduce((a, b) => a + b, 0);
  }

  async lockById(organizationId: string, subscriberId: string): Promise<KeyedState | null> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and subscriber_id = $2 for update`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
    );
    return rows[0] ? stateOf(rows[0]) : null;
  }

  /** Locks those of subscribers of any organizations who have the address given, in id order. @returns their keys by id */
  async lockHolders(
    addresses: readonly { organizationId: string; subscriberId: string; emailKey: string }[],
  ): Promise<Map<string, string>> {
    const rows: { subscriber_id: string; email_key: string }[] = await this.sql.query(
      `select s.subscriber_id, s.email_key from subscriber s
       where (s.organization_id, s.subscriber_id, s.email_key) in (select * from unnest($1::uuid[], $2::uuid[], $3::text[]))
       order by s.organization_id, s.subscriber_id for update`,
      [
        addresses.map(({ organizationId }) => uuidOf('org', organizationId)),
        addresses.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        addresses.map(({ emailKey }) => emailKey),
      ],
    );
    return new Map(rows.map(({ subscriber_id, email_key }) => [wireId('sub', subscriber_id), email_key]));
  }

  /** Locks subscribers for the rest of the transaction, in id order. @returns those that there are */
  async lockByIds(organizationId: string, subscriberIds: readonly string[]): Promise<KeyedState[]> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and subscriber_id = any($2::uuid[])
       order by subscriber_id for update`,
      [uuidOf('org', organizationId), subscriberIds.flatMap((id) => uuidOf('sub', id) ?? [])],
    );
    return rows.map(stateOf);
  }

  /** @param waiting tags of pending subscribers whose triggers wait for the confirmation */
  async updateTagged(
    organizationId: string,
    { changed, waiting, now }: { changed: readonly string[]; waiting: readonly TagPair[]; now: Date },
  ): Promise<void> {
    if (changed.length === 0) return;
    await this.sql.query(
      `update subscriber s set updated_at = greatest($5, s.updated_at + interval '1 ms'),
         withheld_tags = case when u.tags is null then s.withheld_tags else array(select distinct unnest(s.withheld_tags || u.tags)) end
       from unnest($2::uuid[]) c(person) left join (
         select person, array_agg(tag) as tags from unnest($3::uuid[], $4::uuid[]) p(person, tag) group by person) u using (person)
       where s.organization_id = $1 and s.subscriber_id = person`,
      [
        uuidOf('org', organizationId),
        changed.map((id) => uuidOf('sub', id)),
        waiting.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        waiting.map(({ tagId }) => uuidOf('tag', tagId)),
        now,
      ],
    );
  }

  /** Writes what the rules decided for locked subscribers. */
  async update(organizationId: string, people: readonly SubscriberUpdate[], now: Date): Promise<void> {
    const rows = people.map(({ id, withheldTags, statusChanged, confirmationDue, ...person }) => ({
      ...person,
      subscriber_id: uuidOf('sub', id),
      status_changed: statusChanged,
      confirmation_due: confirmationDue,
      withheld_tags: tagUuids(withheldTags),
    }));
    await this.sql.query(
      `update subscriber s set name = r.name, phone = r.phone, country = r.country, ip = r.ip, custom = r.custom,
         status = r.status, status_at = case when r.status_changed then $3 else s.status_at end,
         status_reason = case when r.status_changed then null else s.status_reason end,
         withheld_tags = r.withheld_tags,
         confirmation_due_at = case when r.status <> 'PENDING_CONFIRMATION' then null
           when r.confirmation_due then coalesce(s.confirmation_due_at, $3) else s.confirmation_due_at end,
         updated_at = greatest($3, s.updated_at + interval '1 ms')
       from jsonb_to_recordset($2::jsonb) r(subscriber_id uuid, name text, phone text, country text, ip text, custom jsonb,
         status text, status_changed boolean, confirmation_due boolean, withheld_tags uuid[])
       where s.organization_id = $1 and s.subscriber_id = r.subscriber_id`,
      [uuidOf('org', organizationId), JSON.stringify(rows), now],
    );
  }

  /** Whose address this is. @returns null when it is free */
  async findIdByKey(organizationId: string, emailKey: string): Promise<string | null> {
    const rows: { subscriber_id: string }[] = await this.sql.query(
      `select subscriber_id from subscriber where organization_id = $1 and email_key = $2`,
      [uuidOf('org', organizationId), emailKey],
    );
    return rows[0] ? wireId('sub', rows[0].subscriber_id) : null;
  }

  /**
   * Changes the mailbox of a locked subscriber. Suppression entries stay with the subscriber and with the former
   * address; those of the new one are added, with their status. Counting of soft bounces restarts.
   * @throws QueryFailedError of a unique violation when a concurrent call took the address
   */
  async updateAddress(
    organizationId: string,
    subscriberId: string,
    { address, hash, formerHash, now }: { address: Address; hash: string; formerHash: string; now: Date },
  ): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('sub', subscriberId)];
    await this.sql.query(keepMarks, [...key, formerHash]);
    await this.sql.query(dropEmptyMark, [key[0], formerHash]);
    const former = new FormerSubscriberRepository(this.sql);
    await former.upsertAddress(organizationId, subscriberId, formerHash);
    // Comes before the entries of the new address are read: it waits for entries that are being written.
    await former.updateSuccessors(organizationId, [{ id: subscriberId, addressHash: hash }]);
    await this.sql.query(
      `update subscriber_activity set counted_bounced_at = '{}'
       where organization_id = $1 and subscriber_id = $2 and counted_bounced_at <> '{}'`,
      key,
    );
    await this.sql.query(
      `update subscriber s set email = $3, email_key = $4, is_role = $5, is_disposable = $6, address_at = $7,
         banned_at = coalesce(s.banned_at, m.banned_at), hard_bounced_at = coalesce(s.hard_bounced_at, m.hard_bounced_at),
         complained_at = coalesce(s.complained_at, m.complained_at), status = r.status,
         status_at = case when r.status <> s.status then $7 else s.status_at end,
         updated_at = greatest($7, s.updated_at + interval '1 ms')
       from subscriber o left join address_mark m on m.organization_id = $1 and m.address_hash = $8
       cross join lateral (select case when o.status in ('UNSUBSCRIBED', 'BANNED', 'COMPLAINED', 'BOUNCED') then o.status
         else ${markedOr(`case when m.unsubscribed_at is not null then 'UNSUBSCRIBED' else o.status end`)} end as status) r
       where o.organization_id = $1 and o.subscriber_id = $2 and s.organization_id = $1 and s.subscriber_id = $2`,
      [...key, address.email, address.emailKey, address.isRole, address.isDisposable, now, hash],
    );
  }

  /** Subscribes a locked, pending person with the evidence of the confirmation. */
  async updateConfirmed(
    organizationId: string,
    subscriberId: string,
    { ip, userAgent, now }: { ip: string | null; userAgent: string | null; now: Date },
  ): Promise<void> {
    await this.sql.query(
      `update subscriber set status = 'SUBSCRIBED', status_at = $3, status_reason = null, confirmed_at = $3, confirmed_ip = $4,
         confirmed_agent = $5, opted_in_at = greatest(opted_in_at, $3), confirmation_due_at = null, withheld_tags = null,
         updated_at = greatest($3, updated_at + interval '1 ms')
       where organization_id = $1 and subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), now, ip, userAgent],
    );
  }

  /** Notes that a confirmation message is owed to a locked, pending person. */
  async updateConfirmationDue(organizationId: string, subscriberId: string, now: Date): Promise<void> {
    await this.sql.query(
      `update subscriber set confirmation_due_at = coalesce(confirmation_due_at, $3) where organization_id = $1 and subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), now],
    );
  }

  /** Records the consent of locked subscribers in every status: it undoes earlier unsubscriptions that arrive later. */
  async updateOptedIn(organizationId: string, subscriberIds: readonly string[], now: Date): Promise<void> {
    await this.sql.query(
      `update subscriber set opted_in_at = greatest(opted_in_at, $3) where organization_id = $1 and subscriber_id = any($2::uuid[])`,
      [uuidOf('org', organizationId), subscriberIds.map((id) => uuidOf('sub', id)), now],
    );
  }

  /** Writes an address of the same mailbox as it was typed last. */
  async updateSpelling(organizationId: string, subscriberId: string, email: string, now: Date): Promise<void> {
    await this.sql.query(
      `update subscriber set email = $3, updated_at = greatest($4, updated_at + interval '1 ms')
       where organization_id = $1 and subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), email, now],
    );
  }

  /**
   * Makes a locked subscriber UNSUBSCRIBED, from every status; suppression entries stay. A suppression by soft bounces,
   * which only the status recorded, becomes an entry: a later resubscription does not lift it.
   * @returns false when it was so already
   */
  async updateUnsubscribed(
    organizationId: string,
    subscriberId: string,
    { reason, now }: { reason: string | null; now: Date },
  ): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update subscriber set status = 'UNSUBSCRIBED', status_at = $3, status_reason = $4, confirmation_due_at = null,
         hard_bounced_at = coalesce(hard_bounced_at, case status when 'BOUNCED' then status_at end),
         withheld_tags = null, updated_at = greatest($3, updated_at + interval '1 ms')
       where organization_id = $1 and subscriber_id = $2 and status <> 'UNSUBSCRIBED' returning 1`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), now, reason],
    );
    return rows.length > 0;
  }
}
