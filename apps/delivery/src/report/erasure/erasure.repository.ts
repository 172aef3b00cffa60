import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

export interface Erased {
  organizationId: string;
  subscriberId: string;
  /** As the ledger has it; null if the event says nothing of the address. */
  mailboxHash: string | null;
  /** Messages of campaigns by position that the history named. */
  messageIds: readonly string[];
}

export interface ErasedAddress {
  organizationId: string;
  email: string;
}

/** Subscribers per statement; each may have some thousand messages. */
const atOnce = 20;
/** A chunk in progress holds its recipients for some minutes, and a message is tried for days. */
const againAfter = '1 hour';
const rememberedFor = '1 day';
const underWay = `m.state in ('QUEUED', 'HANDING_OVER', 'DEFERRED')`;
const underWayByPosition = `m.state in ('Q', 'W')`;

/** SQL: ids of the messages by position to `d`, a row of `erasure`; those to its last address may be more than it names. */
const byPositionOf = (d: string) => `(
  select m.message_id from campaign_message m
  where m.mailbox_hash = ${d}.mailbox_hash and m.organization_id = ${d}.organization_id and m.subscriber_id = ${d}.subscriber_id
  union
  select m.message_id from unnest(${d}.message_ids) i join campaign_message m on m.message_id = i
  where m.organization_id = ${d}.organization_id and m.subscriber_id = ${d}.subscriber_id)`;

export class ErasureRepository {
  constructor(private readonly sql: Sql) {}

  async insert(people: readonly Erased[]): Promise<void> {
    await this.sql.query(
      `insert into erasure (organization_id, subscriber_id, mailbox_hash, message_ids)
       select distinct on (organization_id, subscriber_id) organization_id, subscriber_id, mailbox_hash,
         array(select jsonb_array_elements_text(ids)::uuid)
       from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::jsonb[]) u(organization_id, subscriber_id, mailbox_hash, ids)
       on conflict do nothing`,
      [
        people.map(({ organizationId }) => uuidOf('org', organizationId)),
        people.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        people.map(({ mailboxHash }) => mailboxHash),
        people.map(({ messageIds }) => JSON.stringify(messageIds.flatMap((id) => uuidOf('msg', id) ?? []))),
      ],
    );
  }

  async listAddresses(): Promise<ErasedAddress[]> {
    const rows: { organization_id: string; email: string }[] = await this.sql.query(
      `with due as materialized (select * from erasure where due_at <= clock_timestamp() order by due_at limit ${atOnce})
       select m.organization_id, m.email
       from due d join message m on m.organization_id = d.organization_id and m.subscriber_id = d.subscriber_id and m.email <> ''
       union
       select m.organization_id, m.email
       from due d cross join lateral ${byPositionOf('d')} t join campaign_message m on m.message_id = t.message_id and m.email <> ''`,
    );
    return rows.map(({ organization_id, email }) => ({ organizationId: wireId('org', organization_id), email }));
  }

  /**
   * Erases addresses, subjects, relays' replies and content from messages of some deleted subscribers, except from
   * messages in progress. A keyed hash of an address remains, with which late reports are compared.
   * @param hashes of the addresses to erase; messages to others are left for the next time
   * @returns how many subscribers were checked
   */
  async eraseSome(hashes: readonly (ErasedAddress & { hash: string | null })[]): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with due as materialized (
         select organization_id, subscriber_id, created_at, mailbox_hash, message_ids from erasure where due_at <= clock_timestamp()
         order by due_at limit ${atOnce} for no key update skip locked),
       gone as (
         update message m set email = '', address_hash = h.hash, subject = '', response = null, tags = null
         from due d join unnest($1::uuid[], $2::text[], $3::text[]) h(organization_id, email, hash) using (organization_id)
         where m.organization_id = d.organization_id and m.subscriber_id = d.subscriber_id and m.email = h.email
           and m.email <> '' and not (${underWay})
         returning m.period, m.organization_id, m.message_id),
       theirs as materialized (
         select d.organization_id, d.subscriber_id, t.message_id from due d cross join lateral ${byPositionOf('d')} t),
       gone_by_position as (
         update campaign_message m set email = '', address_hash = h.hash, subject_values = null, response = null
         from theirs t join unnest($1::uuid[], $2::text[], $3::text[]) h(organization_id, email, hash) using (organization_id)
         where m.message_id = t.message_id and m.email = h.email and m.email <> '' and not (${underWayByPosition})),
       emptied as (
         delete from message_content c using gone g
         where c.period = g.period and c.organization_id = g.organization_id and c.message_id = g.message_id),
       settled as (
         select d.* from due d where d.created_at < clock_timestamp() - interval '${rememberedFor}' and not exists (
           select from message m where m.organization_id = d.organization_id and m.subscriber_id = d.subscriber_id
             and (m.email <> '' or ${underWay})) and not exists (
           select from theirs t join campaign_message m on m.message_id = t.message_id
           where t.organization_id = d.organization_id and t.subscriber_id = d.subscriber_id and (m.email <> '' or ${underWayByPosition}))),
       forgotten as (
         delete from erasure e using settled s where e.organization_id = s.organization_id and e.subscriber_id = s.subscriber_id),
       later as (
         update erasure e set due_at = clock_timestamp() + interval '${againAfter}' from due d
         where e.organization_id = d.organization_id and e.subscriber_id = d.subscriber_id
           and not exists (select from settled s where s.organization_id = d.organization_id and s.subscriber_id = d.subscriber_id))
       select count(*)::int as n from due`,
      [
        hashes.map(({ organizationId }) => uuidOf('org', organizationId)),
        hashes.map(({ email }) => email),
        hashes.map(({ hash }) => hash),
      ],
    );
    return rows[0]!.n;
  }

  /**
   * Erases the same data from messages that belong to no subscriber, such as tests of a campaign, 30 days after they
   * were accepted, at most 1,000 at a time. @returns how many
   */
  async eraseTests(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with old as (
         delete from test_message where message_id in (
           select message_id from test_message where message_id < uuid_floor(clock_timestamp() - interval '30 days')
           order by message_id limit 1000)
         returning organization_id, message_id, period),
       erased as (
         update message m set email = '', subject = '', response = null, tags = null from old o
         where m.period = o.period and m.organization_id = o.organization_id and m.message_id = o.message_id),
       emptied as (
         delete from message_content c using old o
         where c.period = o.period and c.organization_id = o.organization_id and c.message_id = o.message_id)
       select count(*)::int as n from old`,
    );
    return rows[0]!.n;
  }
}
