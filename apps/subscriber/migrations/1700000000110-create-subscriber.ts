import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSubscriber1700000000110 implements MigrationInterface {
  name = 'CreateSubscriber1700000000110';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // Suppression entries (banned, hard bounce, complaint) are columns beside the status: they outlive an unsubscription.
  `create table subscriber (
    organization_id uuid not null,
    subscriber_id uuid not null,
    email text not null,
    email_key text not null,
    name text,
    phone text,
    country text,
    ip text,
    status text not null check (status in
      ('PENDING_CONFIRMATION', 'SUBSCRIBED', 'UNSUBSCRIBED', 'BOUNCED', 'BANNED', 'COMPLAINED', 'TRANSACTIONAL')),
    status_at timestamptz(3) not null,
    status_reason text,
    banned_at timestamptz(3),
    hard_bounced_at timestamptz(3),
    complained_at timestamptz(3),
    bounce_category text,
    suppressed_event_id uuid,
    is_role boolean not null,
    is_disposable boolean not null,
    custom jsonb not null default '{}',
    confirmation_due_at timestamptz(3),
    confirmation_sent_at timestamptz(3),
    confirmed_at timestamptz(3),
    confirmed_ip text,
    confirmed_agent text,
    withheld_tags uuid[],
    updated_at timestamptz(3) not null,
    primary key (organization_id, subscriber_id)
  )`,
  `create unique index subscriber_email on subscriber (organization_id, email_key)`,
  `create index subscriber_status on subscriber (organization_id, status, subscriber_id)`,
  `create index subscriber_suppressed on subscriber (organization_id, status_at) where status in ('BOUNCED', 'COMPLAINED')`,
  // Neither part nor a search text can contain the line break, so no match reaches across both.
  `create index subscriber_text on subscriber using gin
    (organization_id, lower(email || E'\\n' || coalesce(name, '')) public.gin_trgm_ops)`,
  // The queue of confirmation messages that are owed, across organizations.
  `create index subscriber_confirmation on subscriber (confirmation_due_at) where confirmation_due_at is not null`,

  // What stays of a deleted subscriber's address: a keyed hash and its marks.
  `create table address_mark (
    organization_id uuid not null,
    address_hash text not null,
    banned_at timestamptz(3),
    hard_bounced_at timestamptz(3),
    complained_at timestamptz(3),
    primary key (organization_id, address_hash)
  )`,

  // Apart from subscriber because it changes several times a campaign; no other index, so that updates stay on the page.
  // A row is made by the first fact. Opens include those of mail-privacy proxies; machine columns keep the split.
  `create table subscriber_activity (
    organization_id uuid not null,
    subscriber_id uuid not null,
    email_count int not null default 0,
    open_count int not null default 0,
    machine_open_count int not null default 0,
    click_count int not null default 0,
    machine_click_count int not null default 0,
    revenue numeric(14, 2) not null default 0,
    soft_bounced_at timestamptz(3)[] not null default '{}',
    last_emailed_at timestamptz(3),
    last_opened_at timestamptz(3),
    last_clicked_at timestamptz(3),
    primary key (organization_id, subscriber_id)
  ) with (fillfactor = 80)`,

  `create table custom_field (
    organization_id uuid not null,
    field_id uuid not null,
    name text not null,
    name_key text not null,
    deleted_at timestamptz(3),
    primary key (organization_id, field_id)
  )`,
  `create unique index custom_field_name on custom_field (organization_id, name_key) where deleted_at is null`,

  // targets: what the filters name, as tag:…, field:…, segment:… with the id of the wire.
  `create table segment (
    organization_id uuid not null,
    segment_id uuid not null,
    name text not null,
    name_key text not null,
    filters jsonb not null,
    targets text[] not null,
    updated_at timestamptz(3) not null,
    primary key (organization_id, segment_id)
  )`,
  `create unique index segment_name on segment (organization_id, name_key)`,
  `create index segment_target on segment using gin (organization_id, targets)`,

  // Texts of custom fields as filters compare them; what does not parse is null, and the cast never fails. Bodies are kept
  // so that the planner puts them in place of the call; most numbers are plain digits, which need no regular expression.
  `create function text_number(value text) returns numeric language sql immutable parallel safe as $$
    select case when value <> '' and ltrim(value, '0123456789') = '' then value::numeric
      when value ~ '^[+-]?[0-9]+([.][0-9]+)?$' then value::numeric end
  $$`,
  `create function text_instant(value text, zone text) returns timestamptz language sql stable parallel safe as $$
    select case when value ~ '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])?)?$' then
      case when substr(value, 9, 2)::int <= extract(day from make_date(substr(value, 1, 4)::int, substr(value, 6, 2)::int, 1) + interval '1 month -1 day') then
        date_trunc('milliseconds', case when value ~ '(Z|:[0-9.]+[+-][0-9:]+)$' then value::timestamptz else value::timestamp at time zone zone end)
      end
    end
  $$`,
];
