import { uuidOf } from '#database';
import type { Sql } from '#database';

/** A subscriber who was deleted. */
export interface Erased {
  organizationId: string;
  subscriberId: string;
}

/** People a statement; each may have some thousand messages. */
const atOnce = 20;
/** A page that is under way knows people for some minutes, and a message is tried for days. */
const againAfter = '1 hour';
const rememberedFor = '1 day';
const underWay = `m.state in ('QUEUED', 'HANDING_OVER', 'DEFERRED')`;

/** Who was deleted, and what messages still say of them. */
export class ErasureRepository {
  constructor(private readonly sql: Sql) {}

  /** Notes that messages are to forget these people. */
  async insert(people: readonly Erased[]): Promise<void> {
    await this.sql.query(
      `insert into erasure (organization_id, subscriber_id) select distinct * from unnest($1::uuid[], $2::uuid[]) on conflict do nothing`,
      [
        people.map(({ organizationId }) => uuidOf('org', organizationId)),
        people.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
      ],
    );
  }

  /**
   * Takes addresses, subjects, relays' replies and content out of the messages of some deleted people that are not under
   * way; what is left counts, and names nobody. @returns how many people were looked at
   */
  async eraseSome(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with due as materialized (
         select organization_id, subscriber_id, created_at from erasure where due_at <= clock_timestamp()
         order by due_at limit ${atOnce} for no key update skip locked),
       gone as (
         update message m set email = '', subject = '', response = null, tags = null from due d
         where m.organization_id = d.organization_id and m.subscriber_id = d.subscriber_id and m.email <> '' and not (${underWay})
         returning m.period, m.organization_id, m.message_id),
       emptied as (
         delete from message_content c using gone g
         where c.period = g.period and c.organization_id = g.organization_id and c.message_id = g.message_id),
       settled as (
         select d.* from due d where d.created_at < clock_timestamp() - interval '${rememberedFor}' and not exists (
           select from message m where m.organization_id = d.organization_id and m.subscriber_id = d.subscriber_id and ${underWay})),
       forgotten as (
         delete from erasure e using settled s where e.organization_id = s.organization_id and e.subscriber_id = s.subscriber_id),
       later as (
         update erasure e set due_at = clock_timestamp() + interval '${againAfter}' from due d
         where e.organization_id = d.organization_id and e.subscriber_id = d.subscriber_id
           and not exists (select from settled s where s.organization_id = d.organization_id and s.subscriber_id = d.subscriber_id))
       select count(*)::int as n from due`,
    );
    return rows[0]!.n;
  }

  /**
   * Takes the same out of messages that belong to no subscriber, such as tests of a campaign, 30 days after they were
   * accepted, at most 1,000 at a time. @returns how many
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
