import type { SubscriberStatus } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
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
}

const stateColumns = `subscriber_id, email, email_key, name, phone, country, ip, status, banned_at is not null as banned,
  hard_bounced_at is not null as hard_bounced, complained_at is not null as complained, custom, withheld_tags,
  confirmation_due_at is not null as confirmation_due, confirmation_sent_at`;

const stateOf = (row: StateRow): SubscriberState & { emailKey: string } => ({
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
});

const tagUuids = (ids: readonly string[]) => (ids.length > 0 ? ids.map((id) => uuidOf('tag', id)) : null);

/** Writes of subscribers; reads for callers stand in the reading repository. */
export class SubscriberRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Inserts those whose address is free, in key order, so that two calls with the same addresses never wait in a ring.
   * @returns the keys of those that were inserted
   */
  async insertMissing(organizationId: string, people: readonly NewSubscriber[], now: Date): Promise<Set<string>> {
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
    }));
    const inserted: { email_key: string }[] = await this.sql.query(
      `insert into subscriber (organization_id, subscriber_id, email, email_key, name, phone, country, ip, status, status_at,
         is_role, is_disposable, custom, confirmation_due_at, withheld_tags, updated_at)
       select $1, r.subscriber_id, r.email, r.email_key, r.name, r.phone, r.country, r.ip, r.status, $3,
         r.is_role, r.is_disposable, r.custom, r.confirmation_due_at, r.withheld_tags, $3
       from jsonb_to_recordset($2::jsonb) r(subscriber_id uuid, email text, email_key text, name text, phone text, country text,
         ip text, status text, is_role boolean, is_disposable boolean, custom jsonb, confirmation_due_at timestamptz, withheld_tags uuid[])
       on conflict (organization_id, email_key) do nothing returning email_key`,
      [uuidOf('org', organizationId), JSON.stringify(rows), now],
    );
    return new Set(inserted.map(({ email_key }) => email_key));
  }

  /**
   * Locks subscribers by address for the rest of the transaction, in id order as every other lock of several, so that
   * what the rules decide on what they read stays true until it is written.
   */
  async lockByKeys(organizationId: string, emailKeys: readonly string[]): Promise<Map<string, SubscriberState>> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and email_key = any($2)
       order by subscriber_id for update`,
      [uuidOf('org', organizationId), emailKeys],
    );
    return new Map(rows.map((row) => [row.email_key, stateOf(row)]));
  }

  /** Locks one subscriber. @returns null when there is none */
  async lockById(organizationId: string, subscriberId: string): Promise<SubscriberState | null> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from subscriber where organization_id = $1 and subscriber_id = $2 for update`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
    );
    return rows[0] ? stateOf(rows[0]) : null;
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
