import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What became of each message of a send whose messages have ids by position, in one row; messages of older sends stay in
 * `subscriber_campaign` and `subscriber_event`.
 */
export class CreateCampaignRecipient1700000001310 implements MigrationInterface {
  name = 'CreateCampaignRecipient1700000001310';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table campaign_ref (
    campaign_no int generated always as identity primary key,
    organization_id uuid not null,
    campaign_id uuid not null,
    send_id uuid not null unique,
    name text,
    -- Split where the value of a variable belongs; null until send.started is applied.
    subject_parts text[],
    -- Whole hours around all sent_at and delivered_at, so that they seldom change.
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null
  )`,
  `create index campaign_ref_campaign on campaign_ref (organization_id, campaign_id)`,
  `create index campaign_ref_period on campaign_ref (organization_id, last_at)`,
  `create table campaign_recipient (
    campaign_no int not null,
    -- The low 32 bits of the message's id.
    position int not null,
    subscriber_id uuid not null,
    sent_at timestamptz(3),
    delivered_at timestamptz(3),
    opened_at timestamptz(3),
    last_opened_at timestamptz(3),
    clicked_at timestamptz(3),
    last_clicked_at timestamptz(3),
    bounced_at timestamptz(3),
    complained_at timestamptz(3),
    -- The values of the subject's variables; null and the whole subject where an event of one message brought it.
    subject_values text[],
    primary key (campaign_no, subscriber_id)
  ) with (fillfactor = 95)`,
  `create index campaign_recipient_subscriber on campaign_recipient (subscriber_id, campaign_no)`,
  `create view recipient_campaign as
    select r.organization_id, r.campaign_id, c.subscriber_id, r.first_at, r.last_at, c.sent_at, c.delivered_at, c.opened_at,
      c.last_opened_at, c.clicked_at, c.last_clicked_at, c.bounced_at, c.complained_at
    from campaign_recipient c join campaign_ref r on r.campaign_no = c.campaign_no`,
  // As wireId of libs/database writes it: two zero bits before the 128, five bits a letter.
  `create function wire_id(prefix text, id uuid) returns text language sql immutable parallel safe as $$
    select prefix || '_' || string_agg(
      substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substring(b.bits from 1 + 5 * letter for 5)::int, 1), '' order by letter)
    from (select B'00' || ('x' || replace(id::text, '-', ''))::bit(128) as bits) b, generate_series(0, 25) letter $$`,
  `create function fill_subject(parts text[], vals text[]) returns text language sql immutable parallel safe as $$
    select case when cardinality(vals) = 2 and vals[1] is null then vals[2] else coalesce(
      (select string_agg(coalesce(part, '') || coalesce(val, ''), '' order by n)
       from unnest(parts, vals) with ordinality u(part, val, n)), '') end $$`,
  // Entries of the history that follow from a row, with the columns of subscriber_event.
  `create view campaign_mail_event as
    select k.at as created_at, r.organization_id, (left(r.send_id::text, 28) || lpad(to_hex(c.position + k.bit), 8, '0'))::uuid as event_id,
      c.subscriber_id, k.type, r.campaign_id,
      jsonb_build_object('emailId', wire_id('msg', (left(r.send_id::text, 28) || lpad(to_hex(c.position), 8, '0'))::uuid),
        'campaignId', wire_id('cmp', r.campaign_id), 'subject', fill_subject(r.subject_parts, c.subject_values))
      || case k.type when 'EMAIL_RECEIVED'
        then jsonb_build_object('receivedAt', to_char(k.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) else '{}' end as data
    from campaign_recipient c join campaign_ref r on r.campaign_no = c.campaign_no
    cross join lateral (values ('EMAIL_SENT', c.sent_at, 0::bigint), ('EMAIL_RECEIVED', c.delivered_at, 2147483648)) k(type, at, bit)
    left join retention_horizon h on h.organization_id = r.organization_id and h.data = 'subscriberEvents'
    where k.at is not null and k.at >= coalesce(h.before, '-infinity')`,
];
