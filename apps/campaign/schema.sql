table campaign
  organization_id uuid not null
  campaign_id uuid not null
  name text not null
  subject text not null
  preview text
  content jsonb not null
  content_type text not null
  sender_id uuid
  reply_to text
  filters jsonb not null default '[]'::jsonb
  filter_references text[] not null default '{}'::text[]
  content_references text[] not null default '{}'::text[]
  status text not null
  scheduled_at timestamp(3) with time zone
  timezone text
  send_id uuid
  audience_id uuid
  recipient_count integer
  attempts integer not null default 0
  defects integer not null default 0
  lease_until timestamp(3) with time zone
  waiting_for text
  handed_over_at timestamp(3) with time zone
  started_at timestamp(3) with time zone
  finished_at timestamp(3) with time zone
  failure text
  updated_at timestamp(3) with time zone not null
  retried_at timestamp(3) with time zone
  approval_id uuid
  approved_hash text
  approved_count integer
  held_at timestamp(3) with time zone
  asked_again_at timestamp(3) with time zone
  constraint campaign_content_type_check CHECK ((content_type = ANY (ARRAY['MAILY'::text, 'PLATE'::text, 'MARKDOWN'::text])))
  constraint campaign_pkey PRIMARY KEY (organization_id, campaign_id)
  constraint campaign_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'SCHEDULED'::text, 'SENDING'::text, 'SENT'::text, 'ARCHIVED'::text, 'FAILED'::text])))
  CREATE INDEX campaign_due on campaign USING btree (scheduled_at) WHERE (status = 'SCHEDULED'::text)
  CREATE INDEX campaign_held on campaign USING btree (held_at) WHERE (held_at IS NOT NULL)
  CREATE INDEX campaign_references on campaign USING gin (organization_id, filter_references, content_references)
  CREATE INDEX campaign_search on campaign USING gin (organization_id, lower(((name || ' '::text) || subject)) gin_trgm_ops)
  CREATE INDEX campaign_starting on campaign USING btree (lease_until) WHERE ((status = 'SENDING'::text) AND (handed_over_at IS NULL))
  CREATE INDEX campaign_status on campaign USING btree (organization_id, status, campaign_id)
  CREATE INDEX campaign_unreleased on campaign USING btree (finished_at NULLS FIRST) WHERE ((status <> 'SENDING'::text) AND (audience_id IS NOT NULL))
table campaign_history
  organization_id uuid not null
  campaign_id uuid not null
  history_id uuid not null
  saved_at timestamp(3) with time zone not null
  source text not null
  subject text not null
  content jsonb not null
  content_type text not null
  constraint campaign_history_pkey PRIMARY KEY (organization_id, campaign_id, history_id)
  constraint campaign_history_source_check CHECK ((source = ANY (ARRAY['autosave'::text, 'manual'::text, 'ai'::text])))
table campaign_hour with (fillfactor=50)
  organization_id uuid not null
  campaign_id uuid not null
  hour timestamp(3) with time zone not null
  lane smallint not null
  opens bigint not null default 0
  clicks bigint not null default 0
  sent bigint not null default 0
  delivered bigint not null default 0
  bounced bigint not null default 0
  complained bigint not null default 0
  unsubscribed bigint not null default 0
  unique_opens bigint not null default 0
  unique_clicks bigint not null default 0
  constraint campaign_hour_pkey PRIMARY KEY (organization_id, campaign_id, hour, lane)
table campaign_link with (fillfactor=50)
  organization_id uuid not null
  campaign_id uuid not null
  url_hash bytea not null
  lane smallint not null
  url text not null
  clicks bigint not null default 0
  unique_clicks bigint not null default 0
  constraint campaign_link_pkey PRIMARY KEY (organization_id, campaign_id, url_hash, lane)
table campaign_stat with (fillfactor=50)
  organization_id uuid not null
  campaign_id uuid not null
  lane smallint not null
  sent bigint not null default 0
  delivered bigint not null default 0
  opens bigint not null default 0
  unique_opens bigint not null default 0
  machine_opens bigint not null default 0
  clicks bigint not null default 0
  unique_clicks bigint not null default 0
  unsubscribed bigint not null default 0
  hard bigint not null default 0
  soft bigint not null default 0
  complained bigint not null default 0
  constraint campaign_stat_pkey PRIMARY KEY (organization_id, campaign_id, lane)
table dead_letter
  dead_letter_id uuid not null
  consumer text not null
  event jsonb not null
  error text not null
  attempts integer not null
  failed_at timestamp(3) with time zone not null default clock_timestamp()
  replayed_at timestamp(3) with time zone
  constraint dead_letter_pkey PRIMARY KEY (dead_letter_id)
  CREATE INDEX dead_letter_open on dead_letter USING btree (failed_at) WHERE (replayed_at IS NULL)
table event_gap
  consumer text not null
  source text not null
  lane smallint not null
  after_number bigint not null
  before_number bigint not null
  detected_at timestamp(3) with time zone not null default clock_timestamp()
  resolved_at timestamp(3) with time zone
  missing bigint
  constraint event_gap_pkey PRIMARY KEY (consumer, source, lane, after_number)
table executed_call
  organization_id uuid not null
  call_id text not null
  request_hash text not null
  state text not null
  answer jsonb
  created_at timestamp(3) with time zone not null default clock_timestamp()
  whole_hash text
  constraint executed_call_pkey PRIMARY KEY (organization_id, call_id)
  constraint executed_call_state_check CHECK ((state = ANY (ARRAY['STARTED'::text, 'EFFECTED'::text, 'DONE'::text])))
  CREATE INDEX executed_call_age on executed_call USING btree (created_at)
table feature
  name text not null
  enabled_at timestamp(3) with time zone
  constraint feature_pkey PRIMARY KEY (name)
table image
  organization_id uuid not null
  image_id uuid not null
  name text not null
  description text
  content_type text not null
  width integer not null
  height integer not null
  bytes integer not null
  constraint image_pkey PRIMARY KEY (organization_id, image_id)
  CREATE INDEX image_search on image USING gin (organization_id, lower(((name || ' '::text) || COALESCE(description, ''::text))) gin_trgm_ops)
table image_data
  image_id uuid not null
  organization_id uuid not null
  content_type text not null
  content bytea
  constraint image_data_pkey PRIMARY KEY (image_id)
table inbox partition by RANGE (outbox_id)
  consumer text not null
  outbox_id uuid not null
  seen_at timestamp(3) with time zone not null default clock_timestamp()
  constraint inbox_pkey PRIMARY KEY (consumer, outbox_id)
table lane_lease
  role text not null
  lane smallint not null
  owner uuid not null
  fence bigint not null
  until timestamp(3) with time zone not null
  position jsonb
  constraint lane_lease_pkey PRIMARY KEY (role, lane)
table master_key_check
  only_row boolean not null default true
  fingerprint text not null
  sealed bytea not null
  created_at timestamp(3) with time zone not null default clock_timestamp()
  constraint master_key_check_only_row_check CHECK (only_row)
  constraint master_key_check_pkey PRIMARY KEY (only_row)
table migration
  id integer not null default nextval('migration_id_seq'::regclass)
  timestamp bigint not null
  name character varying not null
  constraint PK_3043fc6b8af7c99b8b98830094f PRIMARY KEY (id)
table outbox partition by RANGE (outbox_id)
  outbox_id uuid not null
  seq bigint not null identity
  lane smallint not null
  organization_id uuid not null
  subject text not null
  events jsonb not null
  published_at timestamp(3) with time zone
  number bigint
  constraint outbox_pkey PRIMARY KEY (outbox_id)
  CREATE INDEX outbox_unpublished on outbox USING btree (lane, seq) WHERE (published_at IS NULL)
table outbox_reader
  consumer text not null
  numbers jsonb not null
  noted_at timestamp(3) with time zone not null
  applied_until timestamp(3) with time zone not null
  constraint outbox_reader_pkey PRIMARY KEY (consumer)
table partitioned
  table_name text not null
  kind text not null
  keep interval
  storage text not null default 'fillfactor = 100'::text
  keep_while text
  since date
  data text
  constraint partitioned_data_fkey FOREIGN KEY (data) REFERENCES retention(data)
  constraint partitioned_kind_check CHECK ((kind = ANY (ARRAY['day-uuid'::text, 'month-uuid'::text, 'month-date'::text, 'month-timestamp'::text])))
  constraint partitioned_pkey PRIMARY KEY (table_name)
table replica
  role text not null
  owner uuid not null
  version integer not null
  until timestamp(3) with time zone not null
  constraint replica_pkey PRIMARY KEY (role, owner)
table retention
  data text not null
  keep interval
  constraint retention_pkey PRIMARY KEY (data)
table retention_horizon
  organization_id uuid not null
  data text not null
  before timestamp(3) with time zone not null
  constraint retention_horizon_pkey PRIMARY KEY (organization_id, data)
table snippet
  organization_id uuid not null
  snippet_id uuid not null
  name text not null
  name_key text not null
  description text
  content jsonb not null
  archived_at timestamp(3) with time zone
  updated_at timestamp(3) with time zone not null
  constraint snippet_pkey PRIMARY KEY (organization_id, snippet_id)
  CREATE UNIQUE INDEX snippet_name on snippet USING btree (organization_id, name_key)
table snippet_use
  organization_id uuid not null
  snippet_id uuid not null
  campaign_id uuid not null
  constraint snippet_use_pkey PRIMARY KEY (organization_id, snippet_id, campaign_id)
  CREATE INDEX snippet_use_campaign on snippet_use USING btree (organization_id, campaign_id)
table stream_seen
  name text not null
  created text not null
  constraint stream_seen_pkey PRIMARY KEY (name)
table tally
  organization_id uuid not null
  metric text not null
  key text not null
  day date not null
  n bigint not null
  constraint tally_pkey PRIMARY KEY (organization_id, metric, key, day)
table tally_delta
  delta_id bigint not null identity
  organization_id uuid not null
  metric text not null
  key text not null
  day date not null
  n bigint not null
  constraint tally_delta_pkey PRIMARY KEY (delta_id)
  CREATE INDEX tally_delta_reader on tally_delta USING btree (organization_id, metric, key, day) INCLUDE (n)
table writing_style
  organization_id uuid not null
  name text
  persona text
  audience text
  vocabulary text
  rules text
  updated_at timestamp(3) with time zone not null
  constraint writing_style_pkey PRIMARY KEY (organization_id)
function maintain_partition(of_table text, at timestamp with time zone) d86709842aee4f08b413aa27721bbaf1
function maintain_partitions() 7db48408f5b9507e42d51976f552e7dd
function partition_ranges(of_table text, at timestamp with time zone) 51313f0eba4a0b5db41a92f63a1e2fcc
function unpublished_batches(lanes smallint[], per_lane integer) d3aaa339721d2df9ea41ee33ed22b309
function uuid_floor(at timestamp with time zone) 0a56353cbfe56bfabbb06c7d18fd3637
