import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCampaign1700000000300 implements MigrationInterface {
  name = 'CreateCampaign1700000000300';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table campaign (
    organization_id uuid not null,
    campaign_id uuid not null,
    name text not null,
    subject text not null,
    preview text,
    content jsonb not null,
    content_type text not null check (content_type in ('MAILY', 'PLATE', 'MARKDOWN')),
    sender_id uuid,
    reply_to text,
    filters jsonb not null default '[]',
    filter_references text[] not null default '{}',
    content_references text[] not null default '{}',
    status text not null check (status in ('DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'ARCHIVED', 'FAILED')),
    scheduled_at timestamptz(3),
    timezone text,
    send_id uuid,
    audience_id uuid,
    recipient_count int,
    attempts int not null default 0,
    defects int not null default 0,
    lease_until timestamptz(3),
    waiting_for text,
    handed_over_at timestamptz(3),
    started_at timestamptz(3),
    finished_at timestamptz(3),
    failure text,
    updated_at timestamptz(3) not null,
    primary key (organization_id, campaign_id)
  )`,
  `create index campaign_status on campaign (organization_id, status, campaign_id)`,
  `create index campaign_search on campaign using gin (organization_id, lower(name || ' ' || subject) gin_trgm_ops)`,
  // Who deletes a tag, field or segment asks which campaigns name it.
  `create index campaign_references on campaign using gin (organization_id, filter_references, content_references)`,
  // The three queues, across organizations: due; claimed but not with delivery yet; finished with an audience to
  // release.
  `create index campaign_due on campaign (scheduled_at) where status = 'SCHEDULED'`,
  `create index campaign_starting on campaign (lease_until) where status = 'SENDING' and handed_over_at is null`,
  `create index campaign_audience on campaign (finished_at) where status in ('SENT', 'FAILED') and audience_id is not null`,

  `create table campaign_history (
    organization_id uuid not null,
    campaign_id uuid not null,
    history_id uuid not null,
    saved_at timestamptz(3) not null,
    source text not null check (source in ('autosave', 'manual', 'ai')),
    subject text not null,
    content jsonb not null,
    content_type text not null,
    primary key (organization_id, campaign_id, history_id)
  )`,

  `create table snippet (
    organization_id uuid not null,
    snippet_id uuid not null,
    name text not null,
    name_key text not null,
    description text,
    content jsonb not null,
    archived_at timestamptz(3),
    updated_at timestamptz(3) not null,
    primary key (organization_id, snippet_id)
  )`,
  // Decision: snippet names are unique without case, since {{snippet:NAME}} must say which one.
  `create unique index snippet_name on snippet (organization_id, name_key)`,
  `create table snippet_use (
    organization_id uuid not null,
    snippet_id uuid not null,
    campaign_id uuid not null,
    primary key (organization_id, snippet_id, campaign_id)
  )`,
  `create index snippet_use_campaign on snippet_use (organization_id, campaign_id)`,

  `create table writing_style (
    organization_id uuid primary key,
    name text,
    persona text,
    audience text,
    vocabulary text,
    rules text,
    updated_at timestamptz(3) not null
  )`,

  // One writer a lane, summed on read: no row is hot while events of a campaign arrive on all lanes.
  `create table campaign_stat (
    organization_id uuid not null,
    campaign_id uuid not null,
    lane smallint not null,
    sent bigint not null default 0,
    delivered bigint not null default 0,
    opens bigint not null default 0,
    unique_opens bigint not null default 0,
    machine_opens bigint not null default 0,
    clicks bigint not null default 0,
    unique_clicks bigint not null default 0,
    unsubscribed bigint not null default 0,
    hard bigint not null default 0,
    soft bigint not null default 0,
    complained bigint not null default 0,
    primary key (organization_id, campaign_id, lane)
  ) with (fillfactor = 50)`,
  `create table campaign_hour (
    organization_id uuid not null,
    campaign_id uuid not null,
    hour timestamptz(3) not null,
    lane smallint not null,
    opens bigint not null default 0,
    clicks bigint not null default 0,
    primary key (organization_id, campaign_id, hour, lane)
  ) with (fillfactor = 50)`,
  `create table campaign_link (
    organization_id uuid not null,
    campaign_id uuid not null,
    url_hash bytea not null,
    lane smallint not null,
    url text not null,
    clicks bigint not null default 0,
    unique_clicks bigint not null default 0,
    primary key (organization_id, campaign_id, url_hash, lane)
  ) with (fillfactor = 50)`,
];
