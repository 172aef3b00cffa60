import type { SubscriberStatus } from '#contracts';
import { createdAtOf, prepared, TallyRepository, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { TagPair } from '../tag/subscriber-tag.repository.js';
import { statusMetric } from './change.recorder.js';
import type { Address } from './person.js';
import type { SubscriberState } from './subscriber.js';

/** A subscriber as it is first written. */
export interface NewSubscriber {
  id: string;
  email: string;
  emailKey: string;
  name: string | null;
  phone: string | null;
  country: string | null;
  ip: string | null;
  status: SubscriberStatus;
  isRole: boolean;
  isDisposable: boolean;
  custom: Record<string, string>;
  withheldTags: readonly string[];
  confirmationDue: boolean;
  /** Whether the person wishes to be written to although they unsubscribed before they were deleted. */
  resubscribes: boolean;
  /** Finds the marks that a subscriber with this address left behind. */
  addressHash: string;
}

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
}

const stateColumns = `subscriber_id, email, email_key, name, phone, country, ip, status, banned_at is not null as banned,
  hard_bounced_at is not null as hard_bounced, complained_at is not null as complained, custom, withheld_tags,
  confirmation_due_at is not null as confirmation_due, confirmation_sent_at, address_at`;

/** A subscriber's state with the identity of the mailbox. */
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
});

/** SQL: the status of the mark `m` of an address, else another one. */
const markedOr = (status: string) =>
  `case when m.banned_at is not null then 'BANNED' when m.complained_at is not null then 'COMPLAINED'
    when m.hard_bounced_at is not null then 'BOUNCED' else ${status} end`;

/**
 * SQL: leaves the marks of subscriber $2, and whether they had unsubscribed, with the hash $3 of the address. Of two
 * marks of one kind the newer one stays; an unsubscription is undone by a later subscription.
 */
export const keepMarks = `insert into address_mark as m (organization_id, address_hash, banned_at, hard_bounced_at, complained_at, unsubscribed_at)
  select $1, $3, banned_at, coalesce(hard_bounced_at, case status when 'BOUNCED' then status_at end),
    coalesce(complained_at, case status when 'COMPLAINED' then status_at end),
    case when status = 'UNSUBSCRIBED' or status_before_ban = 'UNSUBSCRIBED' then status_at end
  from subscriber where organization_id = $1 and subscriber_id = $2
  on conflict (organization_id, address_hash) do update set banned_at = greatest(m.banned_at, excluded.banned_at),
    hard_bounced_at = greatest(m.hard_bounced_at, excluded.hard_bounced_at),
    complained_at = greatest(m.complained_at, excluded.complained_at), unsubscribed_at = excluded.unsubscribed_at`;

/** SQL: forgets the address of hash $2 when nothing stands against it. */
export const dropEmptyMark = `delete from address_mark where organization_id = $1 and address_hash = $2
  and coalesce(banned_at, hard_bounced_at, complained_at, unsubscribed_at) is null`;

const tagUuids = (ids: readonly string[]) => (ids.length > 0 ? ids.map((id) => uuidOf('tag', id)) : null);

/** Writes of subscribers; reads for callers stand in the reading repository. */
export class SubscriberRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Inserts those whose address is free, in key order, so that two calls with the same addresses never wait in a ring.
   * An address that was marked before its subscriber was deleted is marked again, with the status of the mark; one that
   * had unsubscribed stays so unless it resubscribes.
   * @returns the status of those that were inserted, by key
   */
  async insertMissing(
    organizationId: string,
    people: readonly NewSubscriber[],
    now: Date,
  ): Promise<Map<string, SubscriberStatus>> {
    const inserted = await this.#insertMissing(organizationId, people, now);
    if (inserted.size === 0) return inserted;
    // Whose subscriber was just being deleted is inserted once that is done, and left marks that the statement could not see.
    const marked = await this.#findMarked(
      organizationId,
      people.filter(({ emailKey }) => inserted.has(emailKey)),
    );
    if (marked.length === 0) return inserted;
    const outdated = await this.#deleteUnmarked(organizationId, marked);
    if (outdated.size === 0) return inserted;
    const again = await this.#insertMissing(
      organizationId,
      people.filter(({ emailKey }) => outdated.has(emailKey)),
      now,
    );
    return new Map([...[...inserted].filter(([key]) => !outdated.has(key)), ...again]);
  }

  async #insertMissing(
    organizationId: string,
    people: readonly NewSubscriber[],
    now: Date,
  ): Promise<Map<string, SubscriberStatus>> {
    const inOrder = [...people].sort((a, b) => (a.emailKey < b.emailKey ? -1 : 1));
    // As one JSON value: for rows this wide it is written and read faster than a dozen arrays.
    const rows = inOrder.map((person) => ({
      subscriber_id: uuidOf('sub', person.id),
      email: person.email,
      email_key: person.emailKey,
      name: person.name,
      phone: person.phone,
      country: person.country,
      ip: person.ip,
      status: person.status,
      is_role: person.isRole,
      is_disposable: person.isDisposable,
      custom: person.custom,
      confirmation_due_at: person.confirmationDue ? now : null,
      withheld_tags: tagUuids(person.withheldTags),
      resubscribes: person.resubscribes,
      address_hash: person.addressHash,
      updated_at: createdAtOf(person.id),
    }));
    const inserted: { email_key: string; status: SubscriberStatus }[] = await this.sql.query(insertMissingSql, [
      uuidOf('org', organizationId),
      JSON.stringify(rows),
      now,
    ]);
    return new Map(inserted.map(({ email_key, status }) => [email_key, status]));
  }

  /** Those whose addresses have marks by now. */
  async #findMarked(organizationId: string, people: readonly NewSubscriber[]): Promise<NewSubscriber[]> {
    const hashes = people.map(({ addressHash }) => addressHash);
    const rows: { address_hash: string }[] = await this.sql.query(markedSql, [uuidOf('org', organizationId), hashes]);
    const marked = new Set(rows.map(({ address_hash }) => address_hash));
    return people.filter(({ addressHash }) => marked.has(addressHash));
  }

  /** Deletes new subscribers without the marks that their addresses have by now. @returns their keys */
  async #deleteUnmarked(organizationId: string, people: readonly NewSubscriber[]): Promise<Set<string>> {
    const [rows]: [{ email_key: string }[]] = await this.sql.query(
      `delete from subscriber s using unnest($2::text[], $3::text[], $4::boolean[]) p(email_key, address_hash, resubscribes)
       join address_mark m on m.organization_id = $1 and m.address_hash = p.address_hash
       where s.organization_id = $1 and s.email_key = p.email_key
         and ((s.banned_at, s.complained_at, s.hard_bounced_at) is distinct from (m.banned_at, m.complained_at, m.hard_bounced_at)
           or m.unsubscribed_at is not null and not p.resubscribes
             and s.status not in ('UNSUBSCRIBED', 'BANNED', 'COMPLAINED', 'BOUNCED'))
       returning s.email_key`,
      [
        uuidOf('org', organizationId),
        people.map(({ emailKey }) => emailKey),
        people.map(({ addressHash }) => addressHash),
        people.map(({ resubscribes }) => resubscribes),
      ],
    );
    return new Set(rows.map(({ email_key }) => email_key));
  }

  /** Finds a subscriber by address. @returns null when it is nobody's */
  async findByKey(organizationId: string, emailKey: string): Promise<KeyedState | null> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and email_key = $2`,
      [uuidOf('org', organizationId), emailKey],
    );
    return rows[0] ? stateOf(rows[0]) : null;
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
   * Counts people from their tally, which knows neither those of this transaction nor those of others under way; all who
   * count wait for one another until their transactions end.
   */
  async countLocked(organizationId: string): Promise<number> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('number of subscribers ' || $1, 0))`, [
      organizationId,
    ]);
    const counts = await new TallyRepository(this.sql).listByKey(organizationId, statusMetric);
    return [...counts.values()].reduce((a, b) => a + b, 0);
  }

  /** Locks one subscriber. @returns null when there is none */
  async lockById(organizationId: string, subscriberId: string): Promise<KeyedState | null> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and subscriber_id = $2 for update`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
    );
    return rows[0] ? stateOf(rows[0]) : null;
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

  /** Notes tags whose triggers wait for the confirmation of locked, pending people. */
  async addWithheldTags(organizationId: string, pairs: readonly TagPair[]): Promise<void> {
    if (pairs.length === 0) return;
    await this.sql.query(
      `update subscriber s set withheld_tags = array(select distinct unnest(s.withheld_tags || u.tags))
       from (select person, array_agg(tag) as tags from unnest($2::uuid[], $3::uuid[]) p(person, tag) group by person) u
       where s.organization_id = $1 and s.subscriber_id = u.person`,
      [
        uuidOf('org', organizationId),
        pairs.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        pairs.map(({ tagId }) => uuidOf('tag', tagId)),
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
         status_reason = case when r.status_changed then null else s.status_reason end, withheld_tags = r.withheld_tags,
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
   * Gives a locked subscriber another mailbox. Marks stay with the person and with the former address; those of the new
   * one come along, with their status. Soft bounces are counted anew.
   * @throws QueryFailedError of a unique violation when somebody took the address at this moment
   */
  async updateAddress(
    organizationId: string,
    subscriberId: string,
    { address, hash, formerHash, now }: { address: Address; hash: string; formerHash: string; now: Date },
  ): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('sub', subscriberId)];
    await this.sql.query(keepMarks, [...key, formerHash]);
    await this.sql.query(dropEmptyMark, [key[0], formerHash]);
    await this.sql.query(
      `update subscriber_activity set soft_bounced_at = '{}'
       where organization_id = $1 and subscriber_id = $2 and soft_bounced_at <> '{}'`,
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
         confirmed_agent = $5, confirmation_due_at = null, withheld_tags = null,
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

  /** Writes an address of the same mailbox as it was typed last. */
  async updateSpelling(organizationId: string, subscriberId: string, email: string, now: Date): Promise<void> {
    await this.sql.query(
      `update subscriber set email = $3, updated_at = greatest($4, updated_at + interval '1 ms')
       where organization_id = $1 and subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), email, now],
    );
  }

  /**
   * Makes a locked subscriber UNSUBSCRIBED, from whatever state it is in; marks stay.
   * @returns false when it was so already
   */
  async updateUnsubscribed(
    organizationId: string,
    subscriberId: string,
    { reason, now }: { reason: string | null; now: Date },
  ): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update subscriber set status = 'UNSUBSCRIBED', status_at = $3, status_reason = $4, confirmation_due_at = null,
         withheld_tags = null, updated_at = greatest($3, updated_at + interval '1 ms')
       where organization_id = $1 and subscriber_id = $2 and status <> 'UNSUBSCRIBED' returning 1`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), now, reason],
    );
    return rows.length > 0;
  }
}

const markedSql = prepared(
  'find marked addresses',
  `select address_hash from address_mark where organization_id = $1 and address_hash = any($2::text[])`,
);

const insertMissingSql = prepared(
  'insert missing subscribers',
  `insert into subscriber (organization_id, subscriber_id, email, email_key, name, phone, country, ip, status, status_at,
     is_role, is_disposable, custom, confirmation_due_at, withheld_tags, updated_at, banned_at, complained_at, hard_bounced_at, status_before_ban)
   select $1, r.subscriber_id, r.email, r.email_key, r.name, r.phone, r.country, r.ip, n.status, $3,
     r.is_role, r.is_disposable, r.custom, case n.status when 'PENDING_CONFIRMATION' then r.confirmation_due_at end,
     r.withheld_tags, r.updated_at, m.banned_at, m.complained_at, m.hard_bounced_at,
     case n.status when 'BANNED' then u.status end
   from jsonb_to_recordset($2::jsonb) r(subscriber_id uuid, email text, email_key text, name text, phone text, country text,
     ip text, status text, is_role boolean, is_disposable boolean, custom jsonb, confirmation_due_at timestamptz,
     withheld_tags uuid[], resubscribes boolean, address_hash text,
     updated_at timestamptz)
   left join address_mark m on m.organization_id = $1 and m.address_hash = r.address_hash
   cross join lateral (select case when m.unsubscribed_at is not null and not r.resubscribes then 'UNSUBSCRIBED' else r.status end) u(status)
   cross join lateral (select ${markedOr('u.status')}) n(status)
   on conflict (organization_id, email_key) do nothing returning email_key, status`,
);
