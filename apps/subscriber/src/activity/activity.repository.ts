import { isSent } from '#contracts';
import { isMessageByPosition, newUuid, positionOf, prepared, slotOf, uuidOf } from '#database';
import type { Sql } from '#database';
import { settledMessages } from '#events';
import type { SettledData } from '#events';
import { DeletionLockRepository } from '../subscriber/deletion-lock.repository.js';
import { softBounces } from '../suppression/suppression.js';
import { CampaignRefRepository } from './campaign-ref.repository.js';
import type { MessageFact, SettledEvent } from './message-event.js';

/** A bounce of one message or a complaint about it, with the id of its history entry. */
export interface Bounce {
  organizationId: string;
  subscriberId: string;
  /** The key of the mailbox that bounced, which the subscriber may have left since; null where that does not matter. */
  emailKey: string | null;
  eventUuid: string;
  at: string;
  category: string;
}

/** Statuses that become BOUNCED; UNSUBSCRIBED, COMPLAINED and BANNED subscribers keep theirs. */
const reachable = `('SUBSCRIBED', 'PENDING_CONFIRMATION', 'TRANSACTIONAL')`;

const countChanges = `insert into tally_delta (organization_id, metric, key, day, n)
  select organization_id, 'status', status, (clock_timestamp() at time zone 'UTC')::date, n from (
    select organization_id, before as status, -1 as n from changed where before <> after
    union all select organization_id, after, 1 from changed where before <> after) c`;

/** Writes the effects of message events of any organizations and in any order, each event once. */
export class ActivityRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Writes history, counters and the campaign's instants for any number of events in one statement, except events of
   * deleted subscribers. No deletion commits until the transaction ends.
   * @returns the uuid of each event's history entry
   */
  async insertFacts(facts: readonly MessageFact[]): Promise<string[]> {
    await new DeletionLockRepository(this.sql).holdOff(facts.map(({ organizationId }) => organizationId));
    const uuids = facts.map(newUuid);
    const places = await this.#placesOf(facts);
    const rows = facts.map((fact, at) => factRow(fact, uuids[at]!, places[at]!));
    await this.sql.query(insertFactsSql, [JSON.stringify(rows)]);
    return uuids;
  }

  /**
   * Writes counters and one row a message for groups of settled messages in one statement, except those of deleted
   * subscribers. The history is read from these rows. No deletion commits until the transaction ends.
   */
  async insertSettled(events: readonly SettledEvent[]): Promise<void> {
    await new DeletionLockRepository(this.sql).holdOff(events.map(({ organizationId }) => organizationId));
    const refs = events.map(({ organizationId, data: { campaignId, sendId, at } }) => {
      const sendUuid = uuidOf('send', sendId) ?? '';
      return { organizationId, campaignId, sendUuid, from: at, to: at };
    });
    const numbers = await new CampaignRefRepository(this.sql).ensure(refs);
    const rows = new SettledColumns();
    for (const [n, { data }] of events.entries()) rows.add(numbers.get(refs[n]!.sendUuid)!, data);
    await this.sql.query(insertSettledSql, rows.params);
  }

  /** Returns where the rows are of messages that have ids by position; null for the others. */
  async #placesOf(facts: readonly MessageFact[]): Promise<(Place | null)[]> {
    const sends = facts.map(({ organizationId, campaignId, messageId, at }) => {
      const uuid = uuidOf('msg', messageId);
      if (campaignId === null || uuid === null || !isMessageByPosition(uuid)) return null;
      return { organizationId, campaignId, ...positionOf(uuid), from: at, to: at };
    });
    const refs = sends.filter((send) => send !== null);
    if (refs.length === 0) return sends.map(() => null);
    const numbers = await new CampaignRefRepository(this.sql).ensure(refs);
    return sends.map(
      (send) => send && { campaignNo: numbers.get(send.sendUuid)!, slot: slotOf(send.chunk, send.position) },
    );
  }

  /** Marks addresses that bounced permanently; the entries outlive an unsubscription. */
  async updateHardBounced(bounces: readonly Bounce[]): Promise<void> {
    const isNewest = 'f.at >= coalesce(s.hard_bounced_at, f.at)';
    await this.#suppress(bounces, {
      status: 'BOUNCED',
      set: `hard_bounced_at = greatest(s.hard_bounced_at, f.at),
        bounce_category = case when ${isNewest} then f.category else s.bounce_category end,
        suppressed_event_id = case when ${isNewest} then f.id else s.suppressed_event_id end`,
    });
  }

  /** Marks addresses whose owners reported a message as spam; unsubscribed subscribers stay UNSUBSCRIBED. */
  async updateComplained(complaints: readonly Bounce[]): Promise<void> {
    await this.#suppress(complaints, {
      status: 'COMPLAINED',
      set: 'complained_at = greatest(s.complained_at, f.at), suppressed_event_id = f.id',
    });
  }

  /** Stores counted soft bounces, the five newest of each address; enough of them within a month suppress it. */
  async updateSoftBounced(bounces: readonly Bounce[]): Promise<void> {
    await this.sql.query(
      `with ${bounceRows},
       remembered as (
         insert into subscriber_activity as a (organization_id, subscriber_id, counted_bounced_at)
         select org, person, (array_agg(at order by at desc))[:${softBounces.sends}] from every_one group by 1, 2 order by 1, 2
         on conflict (organization_id, subscriber_id) do update set counted_bounced_at = array(
           select at from unnest(a.counted_bounced_at || excluded.counted_bounced_at) at order by at desc limit ${softBounces.sends})
         returning organization_id, subscriber_id, counted_bounced_at),
       due as (
         select organization_id, subscriber_id from remembered where cardinality(counted_bounced_at) = ${softBounces.sends}
         and counted_bounced_at[1] - counted_bounced_at[${softBounces.sends}] <= interval '${softBounces.days} days'),
       held as (${heldRows}),
       changed as (
         update subscriber s set status = 'BOUNCED', status_at = clock_timestamp(), status_before_suppression = h.status,
           status_reason = 'soft bounces on ${softBounces.sends} sends in ${softBounces.days} days',
           bounce_category = f.category, suppressed_event_id = f.id, confirmation_due_at = null,
           updated_at = greatest(clock_timestamp(), s.updated_at + interval '1 ms')
         from held h join due d using (organization_id, subscriber_id)
         join fact f on f.org = h.organization_id and f.person = h.subscriber_id
         where s.organization_id = h.organization_id and s.subscriber_id = h.subscriber_id and h.status in ${reachable}
         returning s.organization_id, h.status as before, s.status as after)
       ${countChanges}`,
      bounceParams(bounces),
    );
  }

  /** `set`: further columns of the subscriber `s`, from the event `f`. */
  async #suppress(facts: readonly Bounce[], { status, set }: { status: string; set: string }): Promise<void> {
    await this.sql.query(
      `with ${bounceRows},
       held as (${heldRows}),
       changed as (
         update subscriber s set ${set},
           status = case when h.status in ${reachable} then '${status}' else h.status end,
           status_before_suppression = case when h.status in ${reachable} then h.status else s.status_before_suppression end,
           status_at = case when h.status in ${reachable} then clock_timestamp() else s.status_at end,
           confirmation_due_at = null, updated_at = greatest(clock_timestamp(), s.updated_at + interval '1 ms')
         from held h join fact f on f.org = h.organization_id and f.person = h.subscriber_id
         where s.organization_id = h.organization_id and s.subscriber_id = h.subscriber_id
         returning s.organization_id, h.status as before, s.status as after)
       ${countChanges}`,
      bounceParams(facts),
    );
  }
}

/** SQL: ignores bounces of an address that the subscriber has left since. */
const isAddressOf = (bounce: string) =>
  `s.organization_id = ${bounce}.org and s.subscriber_id = ${bounce}.person and s.email_key = coalesce(${bounce}.key, s.email_key)`;
/** SQL: ignores bounces before a reactivation, unless the subscriber has changed the address since. */
const isNotUndone = `(s.reactivated_at is null or b.at >= s.reactivated_at
  or b.key is not null and s.address_at > s.reactivated_at)`;
/** Of several bounces of one subscriber the newest gives the category. */
const bounceRows = `every_one as (
    select b.* from jsonb_to_recordset($1::jsonb) b(org uuid, person uuid, key text, id uuid, at timestamptz, category text)
    join subscriber s on ${isAddressOf('b')} and ${isNotUndone}),
  fact as (select distinct on (org, person) * from every_one order by org, person, at desc)`;
/** Locked in id order, like every lock of several subscribers. */
const heldRows = `select s.organization_id, s.subscriber_id, s.status from subscriber s
  join fact f on ${isAddressOf('f')} order by 1, 2 for update of s`;

const bounceParams = (bounces: readonly Bounce[]) => [
  JSON.stringify(
    bounces.map(({ organizationId, subscriberId, emailKey, eventUuid, at, category }) => ({
      org: uuidOf('org', organizationId),
      person: uuidOf('sub', subscriberId),
      key: emailKey,
      id: eventUuid,
      at,
      category,
    })),
  ),
];

interface Place {
  campaignNo: number;
  slot: number;
}

/** The parameters of the statement, one array a column: the most frequent statement makes no object a message. */
class SettledColumns {
  readonly params: [number[], number[], string[], string[], boolean[], (string | null)[]] = [[], [], [], [], [], []];

  add(campaignNo: number, data: SettledData): void {
    const [numbers, slots, subscribers, instants, delivered, subjectValues] = this.params;
    for (const message of settledMessages(data)) {
      if (!isSent(message.outcome)) continue;
      numbers.push(campaignNo);
      slots.push(slotOf(data.chunk, message.position));
      subscribers.push(message.subscriberUuid);
      instants.push(data.at);
      delivered.push(message.outcome === 'DELIVERED');
      subjectValues.push(message.subjectValues && JSON.stringify(message.subjectValues));
    }
  }
}

/** Every row has the same keys in the same order, which makes this most frequent statement fastest to write. */
const factRow = (
  { organizationId, subscriberId, campaignId, at, type, data, counts, last, campaign }: MessageFact,
  id: string,
  place: Place | null,
) => ({
  id,
  no: place?.campaignNo,
  slot: place?.slot,
  at,
  type,
  data,
  org: uuidOf('org', organizationId),
  person: uuidOf('sub', subscriberId),
  campaign: uuidOf('cmp', campaignId),
  emails: counts.emails,
  opens: counts.opens,
  machineOpens: counts.machineOpens,
  clicks: counts.clicks,
  machineClicks: counts.machineClicks,
  emailed_at: last.emailed && at,
  opened_at: last.opened && at,
  clicked_at: last.clicked && at,
  campaign_sent_at: campaign.sent && at,
  campaign_delivered_at: campaign.delivered && at,
  campaign_opened_at: campaign.opened && at,
  campaign_clicked_at: campaign.clicked && at,
  campaign_bounced_at: campaign.bounced && at,
  campaign_complained_at: campaign.complained && at,
});

/**
 * Sums and extremes do not depend on the order of events; rows are written in key order, so that writers cannot
 * deadlock.
 */
const insertFactsSql = prepared(
  'insert facts',
  `with fact as (
    select f.*, greatest(f.at, date_trunc('month', clock_timestamp()) - interval '1 month') as kept_at
    from jsonb_to_recordset($1::jsonb) f(org uuid, person uuid, campaign uuid, no int, slot int, id uuid, at timestamptz, type text, data jsonb,
      emails int, opens int, "machineOpens" int, clicks int, "machineClicks" int,
      emailed_at timestamptz, opened_at timestamptz, clicked_at timestamptz,
      campaign_sent_at timestamptz, campaign_delivered_at timestamptz, campaign_opened_at timestamptz, campaign_clicked_at timestamptz,
      campaign_bounced_at timestamptz, campaign_complained_at timestamptz)
    join subscriber s on s.organization_id = f.org and s.subscriber_id = f.person),
  told as (
    insert into subscriber_event (created_at, organization_id, event_id, subscriber_id, type, campaign_id, data)
    select kept_at, org, id, person, type, campaign, data from fact where no is null or type not in ('EMAIL_SENT', 'EMAIL_RECEIVED')),
  counted as (
    insert into subscriber_activity as a (organization_id, subscriber_id, email_count, open_count, machine_open_count,
      click_count, machine_click_count, last_emailed_at, last_opened_at, last_clicked_at)
    select org, person, coalesce(sum(emails), 0), coalesce(sum(opens), 0), coalesce(sum("machineOpens"), 0), coalesce(sum(clicks), 0),
      coalesce(sum("machineClicks"), 0), max(emailed_at), max(opened_at), max(clicked_at)
    from fact where coalesce(emails, opens, "machineOpens", clicks, "machineClicks") is not null group by 1, 2 order by 1, 2
    on conflict (organization_id, subscriber_id) do update set email_count = a.email_count + excluded.email_count,
      open_count = a.open_count + excluded.open_count,
      machine_open_count = a.machine_open_count + excluded.machine_open_count,
      click_count = a.click_count + excluded.click_count,
      machine_click_count = a.machine_click_count + excluded.machine_click_count,
      last_emailed_at = greatest(a.last_emailed_at, excluded.last_emailed_at),
      last_opened_at = greatest(a.last_opened_at, excluded.last_opened_at),
      last_clicked_at = greatest(a.last_clicked_at, excluded.last_clicked_at)),
  by_position as (
    insert into campaign_recipient as c (campaign_no, position, subscriber_id, sent_at, delivered_at, opened_at, last_opened_at,
      clicked_at, last_clicked_at, bounced_at, complained_at, subject_values)
    select m.no, m.slot, m.person, m.sent_at, m.delivered_at, m.opened_at, m.last_opened_at, m.clicked_at, m.last_clicked_at, m.bounced_at,
      m.complained_at, case when m.subject <> array_to_string(coalesce(r.subject_parts, '{}'), '') then array[null, m.subject] end
    from (
      select no, slot, person, max(campaign_sent_at) as sent_at, max(campaign_delivered_at) as delivered_at,
        min(campaign_opened_at) as opened_at, max(campaign_opened_at) as last_opened_at, min(campaign_clicked_at) as clicked_at,
        max(campaign_clicked_at) as last_clicked_at, max(campaign_bounced_at) as bounced_at,
        max(campaign_complained_at) as complained_at,
        max(data ->> 'subject') filter (where campaign_sent_at is not null) as subject
      from fact where no is not null and coalesce(campaign_sent_at, campaign_delivered_at, campaign_opened_at, campaign_bounced_at,
        campaign_complained_at) is not null
      group by 1, 2, 3) m
    join campaign_ref r on r.campaign_no = m.no order by 1, 3
    on conflict (campaign_no, subscriber_id) do update set sent_at = greatest(c.sent_at, excluded.sent_at),
      delivered_at = greatest(c.delivered_at, excluded.delivered_at),
      opened_at = least(c.opened_at, excluded.opened_at), last_opened_at = greatest(c.last_opened_at, excluded.last_opened_at),
      clicked_at = least(c.clicked_at, excluded.clicked_at), last_clicked_at = greatest(c.last_clicked_at, excluded.last_clicked_at),
      bounced_at = greatest(c.bounced_at, excluded.bounced_at), complained_at = greatest(c.complained_at, excluded.complained_at),
      subject_values = coalesce(c.subject_values, excluded.subject_values))
  insert into subscriber_campaign as c (organization_id, campaign_id, subscriber_id, sent_at, opened_at, clicked_at, bounced_at,
    last_opened_at, last_clicked_at)
  select org, campaign, person, max(campaign_sent_at), min(campaign_opened_at), min(campaign_clicked_at), max(campaign_bounced_at),
    max(campaign_opened_at), max(campaign_clicked_at)
  from fact where campaign is not null and no is null and coalesce(campaign_sent_at, campaign_opened_at, campaign_bounced_at) is not null
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (organization_id, campaign_id, subscriber_id) do update set sent_at = greatest(c.sent_at, excluded.sent_at),
    opened_at = least(c.opened_at, excluded.opened_at), clicked_at = least(c.clicked_at, excluded.clicked_at),
    bounced_at = greatest(c.bounced_at, excluded.bounced_at), last_opened_at = greatest(c.last_opened_at, excluded.last_opened_at),
    last_clicked_at = greatest(c.last_clicked_at, excluded.last_clicked_at)`,
);

/** Rows are written in key order, so that writers cannot deadlock; greatest() makes the order of events irrelevant. */
const insertSettledSql = prepared(
  'insert settled messages',
  `with message as materialized (
    select r.organization_id, u.* from unnest($1::int[], $2::int[], $3::uuid[], $4::timestamptz[], $5::boolean[], $6::jsonb[])
      u(campaign_no, position, subscriber_id, at, is_delivered, subject_values)
    join campaign_ref r on r.campaign_no = u.campaign_no
    join subscriber s on s.organization_id = r.organization_id and s.subscriber_id = u.subscriber_id),
  counted as (
    insert into subscriber_activity as a (organization_id, subscriber_id, email_count, last_emailed_at)
    select organization_id, subscriber_id, count(*), max(at) from message group by 1, 2 order by 1, 2
    on conflict (organization_id, subscriber_id) do update set email_count = a.email_count + excluded.email_count,
      last_emailed_at = greatest(a.last_emailed_at, excluded.last_emailed_at))
  insert into campaign_recipient as c (campaign_no, position, subscriber_id, sent_at, delivered_at, subject_values)
  select campaign_no, position, subscriber_id, at, case when is_delivered then at end,
    case when subject_values is not null then array(select jsonb_array_elements_text(subject_values)) end
  from message order by campaign_no, subscriber_id
  on conflict (campaign_no, subscriber_id) do update set sent_at = greatest(c.sent_at, excluded.sent_at),
    delivered_at = greatest(c.delivered_at, excluded.delivered_at),
    subject_values = coalesce(excluded.subject_values, c.subject_values)`,
);
