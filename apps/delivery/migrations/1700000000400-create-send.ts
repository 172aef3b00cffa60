import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSend1700000000400 implements MigrationInterface {
  name = 'CreateSend1700000000400';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table send (
    organization_id uuid not null,
    send_id uuid not null,
    campaign_id uuid not null,
    campaign_name text not null,
    audience_id uuid not null,
    template jsonb not null,
    sender jsonb not null,
    reply_to text,
    organization_name text not null,
    track_opens boolean not null,
    track_clicks boolean not null,
    state text not null default 'RUNNING' check (state in ('RUNNING', 'PAUSED', 'STOPPED', 'DONE')),
    paused_reason text,
    waiting_for text,
    not_before timestamptz(3),
    total int not null,
    pages int not null,
    period date not null,
    priority smallint not null default 0,
    served_at timestamptz(3) not null default clock_timestamp(),
    started_at timestamptz(3) not null default clock_timestamp(),
    finished_at timestamptz(3),
    primary key (organization_id, send_id)
  )`,
  // Round robin: the running send that was served longest ago comes first.
  `create index send_queue on send (priority, served_at) where finished_at is null`,

  // The unit of claiming, and one shard of the counters of its send. Its row changes with every group of messages.
  `create table send_page (
    organization_id uuid not null,
    send_id uuid not null,
    page_no int not null,
    state text not null default 'READY' check (state in ('READY', 'LEASED', 'DONE')),
    owner uuid,
    fence bigint not null default 0,
    until timestamptz(3),
    sent int not null default 0,
    delivered int not null default 0,
    bounced int not null default 0,
    failed int not null default 0,
    deferred int not null default 0,
    in_doubt int not null default 0,
    skipped jsonb not null default '{}',
    primary key (organization_id, send_id, page_no)
  ) with (fillfactor = 50)`,
  `create index send_page_open on send_page (organization_id, send_id, page_no) where state <> 'DONE'`,
  `create index send_page_deferred on send_page (organization_id, send_id) where deferred > 0`,

  // No index names a column that changes between the hand-over and the result, so that both stay in one heap page.
  `create table message (
    organization_id uuid not null,
    message_id uuid not null,
    period date not null,
    kind text not null check (kind in ('CAMPAIGN', 'TRANSACTIONAL', 'WORKFLOW', 'SMTP', 'TEST')),
    send_id uuid,
    page_no int,
    subscriber_id uuid,
    email text not null,
    subject text not null,
    source_key text,
    state text not null check (state in ('QUEUED', 'HANDING_OVER', 'SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED', 'DEFERRED',
      'FAILED', 'SKIPPED', 'IN_DOUBT')),
    skip_reason text,
    simulated boolean not null default false,
    owner uuid,
    fence bigint not null default 0,
    attempts smallint not null default 0,
    due_at timestamptz(3),
    code smallint,
    enhanced_code text,
    response text,
    accepted_at timestamptz(3),
    delivered_at timestamptz(3),
    first_opened_at timestamptz(3),
    first_clicked_at timestamptz(3),
    opens int not null default 0,
    clicks int not null default 0,
    primary key (period, organization_id, message_id),
    unique (period, organization_id, send_id, subscriber_id)
  ) partition by range (period)`,
  `create index message_of_subscriber on message (organization_id, subscriber_id, message_id desc)`,
  // When a message needs attention next: it is due, or the lease of its worker ends.
  `create index message_due on message (kind, due_at) where due_at is not null`,
  `create index message_due_of_send on message (organization_id, send_id) where due_at is not null`,

  // What must not be accepted twice: run:step:visit of a workflow, an idempotency key.
  `create table message_source (
    organization_id uuid not null,
    source_key text not null,
    message_id uuid not null,
    period date not null,
    primary key (organization_id, source_key)
  )`,

  // What single messages say; a campaign's are made from the template of their send.
  `create table message_content (
    organization_id uuid not null,
    message_id uuid not null,
    period date not null,
    html text,
    text text,
    headers jsonb,
    raw bytea,
    primary key (period, organization_id, message_id)
  ) partition by range (period)`,

  // Which links of a message were clicked by a person.
  `create table message_link (
    organization_id uuid not null,
    message_id uuid not null,
    period date not null,
    link_number int not null,
    primary key (period, organization_id, message_id, link_number)
  ) partition by range (period)`,

  `create table recipient_guard (
    organization_id uuid not null,
    mailbox text not null,
    sent_at timestamptz(3)[] not null,
    primary key (organization_id, mailbox)
  ) with (fillfactor = 70)`,

  // A relay or domain that wants to be left alone for a while; it belongs to no organization.
  `create table destination (
    name text primary key,
    backoff_until timestamptz(3) not null,
    failures int not null,
    reason text not null
  )`,

  `create table bounce_report (
    organization_id uuid not null,
    report_id uuid not null,
    message_id uuid,
    period date,
    class text not null,
    raw text not null,
    primary key (organization_id, report_id)
  )`,

  `insert into partitioned values
    ('message', 'month-date', null, 'fillfactor = 85'),
    ('message_content', 'month-date', interval '30 days', 'fillfactor = 100'),
    ('message_link', 'month-date', null, 'fillfactor = 100')`,
  `select maintain_partitions()`,
];
