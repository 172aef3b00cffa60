import type { SubscriberStatus } from '#contracts';
import { createdAtOf, prepared, uuidOf } from '#database';
import type { Sql } from '#database';
import { markedOr } from '../suppression/suppression-entry.repository.js';
import { FormerSubscriberRepository } from './former-subscriber.repository.js';
import { tagUuids } from './subscriber.repository.js';

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
  /** Whether the subscriber consents although the address unsubscribed before its deletion. */
  resubscribes: boolean;
  /** Finds the suppressions that a former subscriber of this address left. */
  addressHash: string;
}

export class NewSubscriberRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Inserts subscribers whose address is free, in key order, so that two calls with the same addresses cannot deadlock.
   * An address with suppressions of a deleted subscriber gets them again, with their status; one that had unsubscribed
   * stays so unless it resubscribes.
   * @returns the status of the inserted subscribers, by key
   */
  async insert(
    organizationId: string,
    people: readonly NewSubscriber[],
    now: Date,
  ): Promise<Map<string, SubscriberStatus>> {
    const inserted = await this.#insertMissing(organizationId, people, now);
    if (inserted.size === 0) return inserted;
    const arrivals = people.filter(({ emailKey }) => inserted.has(emailKey));
    // A concurrent deletion finishes before the insert, and may have left suppressions that the statement could not
    // see. Both are sent at once; a connection carries them out one after the other.
    const [, marked] = await Promise.all([
      new FormerSubscriberRepository(this.sql).updateSuccessors(organizationId, arrivals),
      this.#findMarked(organizationId, arrivals),
    ]);
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
    // As one JSON value: for rows this wide it is written and read faster than a dozen arrays. It leaves out what most
    // subscribers do not have.
    const rows = inOrder.map((person) => ({
      subscriber_id: uuidOf('sub', person.id),
      email: person.email,
      email_key: person.emailKey,
      name: person.name ?? undefined,
      phone: person.phone ?? undefined,
      country: person.country ?? undefined,
      ip: person.ip ?? undefined,
      status: person.status,
      is_role: person.isRole || undefined,
      is_disposable: person.isDisposable || undefined,
      custom: person.custom,
      confirmation_due: person.confirmationDue || undefined,
      withheld_tags: tagUuids(person.withheldTags) ?? undefined,
      resubscribes: person.resubscribes || undefined,
      address_hash: person.addressHash,
      created_ms: createdAtOf(person.id).getTime(),
    }));
    const inserted: { email_key: string; status: SubscriberStatus }[] = await this.sql.query(insertMissingSql, [
      uuidOf('org', organizationId),
      JSON.stringify(rows),
      now,
    ]);
    return new Map(inserted.map(({ email_key, status }) => [email_key, status]));
  }

  async #findMarked(organizationId: string, people: readonly NewSubscriber[]): Promise<NewSubscriber[]> {
    const hashes = people.map(({ addressHash }) => addressHash);
    const rows: { address_hash: string }[] = await this.sql.query(markedSql, [uuidOf('org', organizationId), hashes]);
    const marked = new Set(rows.map(({ address_hash }) => address_hash));
    return people.filter(({ addressHash }) => marked.has(addressHash));
  }

  /** Deletes new subscribers inserted without the suppressions that their addresses have by now. @returns their keys */
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
}

const markedSql = prepared(
  'find marked addresses',
  `select address_hash from address_mark where organization_id = $1 and address_hash = any($2::text[])`,
);

const insertMissingSql = prepared(
  'insert missing subscribers',
  `insert into subscriber (organization_id, subscriber_id, email, email_key, name, phone, country, ip, status, status_at,
     is_role, is_disposable, custom, confirmation_due_at, withheld_tags, updated_at, banned_at, complained_at, hard_bounced_at, status_before_ban,
     opted_in_at)
   select $1, r.subscriber_id, r.email, r.email_key, r.name, r.phone, r.country, r.ip, n.status, $3,
     coalesce(r.is_role, false), coalesce(r.is_disposable, false), r.custom,
     case when n.status = 'PENDING_CONFIRMATION' and r.confirmation_due then $3::timestamptz end,
     r.withheld_tags, timestamptz 'epoch' + r.created_ms * interval '1 ms', m.banned_at, m.complained_at, m.hard_bounced_at,
     case n.status when 'BANNED' then u.status end, case when r.resubscribes then $3::timestamptz end
   from jsonb_to_recordset($2::jsonb) r(subscriber_id uuid, email text, email_key text, name text, phone text, country text,
     ip text, status text, is_role boolean, is_disposable boolean, custom jsonb, confirmation_due boolean,
     withheld_tags uuid[], resubscribes boolean, address_hash text, created_ms float8)
   left join address_mark m on m.organization_id = $1 and m.address_hash = r.address_hash
   cross join lateral (select case when m.unsubscribed_at is not null and r.resubscribes is not true then 'UNSUBSCRIBED' else r.status end) u(status)
   cross join lateral (select ${markedOr('u.status')}) n(status)
   on conflict (organization_id, email_key) do nothing returning email_key, status`,
);
