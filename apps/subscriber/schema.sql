table address_mark
  organization_id uuid not null
  address_hash text not null
  banned_at timestamp(3) with time zone
  hard_bounced_at timestamp(3) with time zone
  complained_at timestamp(3) with time zone
  unsubscribed_at timestamp(3) with time zone
  constraint address_mark_pkey PRIMARY KEY (organization_id, address_hash)
table audience
  organization_id uuid not null
  audience_id uuid not null
  purpose text not null
  filters jsonb not null
  total integer not null
  excluded jsonb not null
  pages integer not null
  created_at timestamp(3) with time zone not null
  released_at timestamp(3) with time zone
  constraint audience_pkey PRIMARY KEY (organization_id, audience_id)
  constraint audience_purpose_check CHECK ((purpose = ANY (ARRAY['SEND'::text, 'EXPORT'::text, 'ENROLMENT'::text])))
  CREATE INDEX audience_held on audience USING btree (created_at) WHERE (released_at IS NULL)
table audience_page
  organization_id uuid not null
  audience_id uuid not null
  page_no integer not null
  subscriber_ids uuid[] not null
  emails text[] not null
  constraint audience_page_pkey PRIMARY KEY (organization_id, audience_id, page_no)
table campaign_recipient with (fillfactor=95)
  campaign_no integer not null
  position integer not null
  subscriber_id uuid not null
  sent_at timestamp(3) with time zone
  delivered_at timestamp(3) with time zone
  opened_at timestamp(3) with time zone
  last_opened_at timestamp(3) with time zone
  clicked_at timestamp(3) with time zone
  last_clicked_at timestamp(3) with time zone
  bounced_at timestamp(3) with time zone
  complained_at timestamp(3) with time zone
  subject_values text[]
  constraint campaign_recipient_pkey PRIMARY KEY (campaign_no, subscriber_id)
  CREATE INDEX campaign_recipient_of_subscriber on campaign_recipient USING btree (subscriber_id)
table campaign_ref
  campaign_no integer not null identity
  organization_id uuid not null
  campaign_id uuid not null
  send_id uuid not null
  name text
  subject_parts text[]
  first_at timestamp(3) with time zone not null
  last_at timestamp(3) with time zone not null
  constraint campaign_ref_pkey PRIMARY KEY (campaign_no)
  constraint campaign_ref_send_id_key UNIQUE (send_id)
  CREATE INDEX campaign_ref_campaign on campaign_ref USING btree (organization_id, campaign_id)
  CREATE INDEX campaign_ref_period on campaign_ref USING btree (organization_id, last_at)
table custom_field
  organization_id uuid not null
  field_id uuid not null
  name text not null
  name_key text not null
  deleted_at timestamp(3) with time zone
  former_names text[] not null default '{}'::text[]
  cleared_to uuid
  constraint custom_field_pkey PRIMARY KEY (organization_id, field_id)
  CREATE INDEX custom_field_deleted on custom_field USING btree (deleted_at) WHERE (deleted_at IS NOT NULL)
  CREATE UNIQUE INDEX custom_field_name on custom_field USING btree (organization_id, name_key) WHERE (deleted_at IS NULL)
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
table expired_campaign
  organization_id uuid not null
  campaign_id uuid not null
  constraint expired_campaign_pkey PRIMARY KEY (organization_id, campaign_id)
table export
  organization_id uuid not null
  export_id uuid not null
  request jsonb not null
  state text not null
  rows_total integer
  rows_done integer not null default 0
  failure text
  owner uuid
  fence bigint not null default 0
  until timestamp(3) with time zone
  created_at timestamp(3) with time zone not null
  finished_at timestamp(3) with time zone
  columns jsonb
  last_subscriber_id uuid
  chunks integer not null default 0
  bytes bigint not null default 0
  claimed_at timestamp with time zone
  constraint export_pkey PRIMARY KEY (organization_id, export_id)
  constraint export_state_check CHECK ((state = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'DONE'::text, 'FAILED'::text])))
  CREATE INDEX export_done on export USING btree (finished_at) WHERE (finished_at IS NOT NULL)
  CREATE INDEX export_queue on export USING btree (created_at) WHERE (state = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text]))
table export_chunk
  organization_id uuid not null
  export_id uuid not null
  chunk_no integer not null
  content bytea not null
  constraint export_chunk_pkey PRIMARY KEY (organization_id, export_id, chunk_no)
table feature
  name text not null
  enabled_at timestamp(3) with time zone
  constraint feature_pkey PRIMARY KEY (name)
table former_address
  organization_id uuid not null
  address_hash text not null
  holder_id uuid
  reactivated_at timestamp(3) with time zone
  left_at timestamp(3) with time zone not null default clock_timestamp()
  constraint former_address_pkey PRIMARY KEY (organization_id, address_hash)
  CREATE INDEX former_address_age on former_address USING btree (left_at)
table former_subscriber
  organization_id uuid not null
  subscriber_id uuid not null
  address_hash text not null
  deleted_at timestamp(3) with time zone not null default clock_timestamp()
  successor_id uuid
  opted_in_at timestamp(3) with time zone
  reactivated_at timestamp(3) with time zone
  constraint former_subscriber_pkey PRIMARY KEY (organization_id, subscriber_id)
  CREATE INDEX former_subscriber_address on former_subscriber USING btree (organization_id, address_hash)
  CREATE INDEX former_subscriber_age on former_subscriber USING btree (deleted_at)
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
table organization_limit
  organization_id uuid not null
  custom_fields integer not null
  constraint organization_limit_custom_fields_check CHECK ((custom_fields >= 0))
  constraint organization_limit_pkey PRIMARY KEY (organization_id)
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
table segment
  organization_id uuid not null
  segment_id uuid not null
  name text not null
  name_key text not null
  filters jsonb not null
  targets text[] not null
  updated_at timestamp(3) with time zone not null
  constraint segment_pkey PRIMARY KEY (organization_id, segment_id)
  CREATE UNIQUE INDEX segment_name on segment USING btree (organization_id, name_key)
  CREATE INDEX segment_target on segment USING gin (organization_id, targets)
table stream_seen
  name text not null
  created text not null
  constraint stream_seen_pkey PRIMARY KEY (name)
table subscriber
  organization_id uuid not null
  subscriber_id uuid not null
  email text not null
  email_key text not null
  name text
  phone text
  country text
  ip text
  status text not null
  status_at timestamp(3) with time zone not null
  status_reason text
  banned_at timestamp(3) with time zone
  hard_bounced_at timestamp(3) with time zone
  complained_at timestamp(3) with time zone
  bounce_category text
  suppressed_event_id uuid
  is_role boolean not null
  is_disposable boolean not null
  custom jsonb not null default '{}'::jsonb
  confirmation_due_at timestamp(3) with time zone
  confirmation_sent_at timestamp(3) with time zone
  confirmed_at timestamp(3) with time zone
  confirmed_ip text
  confirmed_agent text
  withheld_tags uuid[]
  updated_at timestamp(3) with time zone not null
  address_at timestamp(3) with time zone
  status_before_ban text
  opted_in_at timestamp(3) with time zone
  reactivated_at timestamp(3) with time zone
  status_before_suppression text
  ban_reason text
  constraint subscriber_pkey PRIMARY KEY (organization_id, subscriber_id)
  constraint subscriber_status_check CHECK ((status = ANY (ARRAY['PENDING_CONFIRMATION'::text, 'SUBSCRIBED'::text, 'UNSUBSCRIBED'::text, 'BOUNCED'::text, 'BANNED'::text, 'COMPLAINED'::text, 'TRANSACTIONAL'::text])))
  CREATE INDEX subscriber_confirmation on subscriber USING btree (confirmation_due_at) WHERE (confirmation_due_at IS NOT NULL)
  CREATE UNIQUE INDEX subscriber_email on subscriber USING btree (organization_id, email_key)
  CREATE INDEX subscriber_status on subscriber USING btree (organization_id, status, subscriber_id)
  CREATE INDEX subscriber_suppressed on subscriber USING btree (organization_id, status_at) WHERE (status = ANY (ARRAY['BOUNCED'::text, 'COMPLAINED'::text]))
  CREATE INDEX subscriber_text on subscriber USING gin (organization_id, lower(((email || '
'::text) || COALESCE(name, ''::text))) gin_trgm_ops)
table subscriber_activity with (fillfactor=80)
  organization_id uuid not null
  subscriber_id uuid not null
  email_count integer not null default 0
  open_count integer not null default 0
  machine_open_count integer not null default 0
  click_count integer not null default 0
  machine_click_count integer not null default 0
  revenue numeric(14,2) not null default 0
  soft_bounced_at timestamp(3) with time zone[] not null default '{}'::timestamp with time zone[]
  last_emailed_at timestamp(3) with time zone
  last_opened_at timestamp(3) with time zone
  last_clicked_at timestamp(3) with time zone
  counted_bounced_at timestamp(3) with time zone[] not null default '{}'::timestamp with time zone[]
  constraint subscriber_activity_pkey PRIMARY KEY (organization_id, subscriber_id)
table subscriber_campaign with (fillfactor=80)
  organization_id uuid not null
  campaign_id uuid not null
  subscriber_id uuid not null
  sent_at timestamp(3) with time zone
  opened_at timestamp(3) with time zone
  clicked_at timestamp(3) with time zone
  bounced_at timestamp(3) with time zone
  last_opened_at timestamp(3) with time zone
  last_clicked_at timestamp(3) with time zone
  constraint subscriber_campaign_pkey PRIMARY KEY (organization_id, campaign_id, subscriber_id)
  CREATE INDEX subscriber_campaign_person on subscriber_campaign USING btree (organization_id, subscriber_id, campaign_id)
table subscriber_event partition by RANGE (created_at)
  created_at timestamp(3) with time zone not null
  organization_id uuid not null
  event_id uuid not null
  subscriber_id uuid not null
  type text not null
  campaign_id uuid
  data jsonb not null
  constraint subscriber_event_pkey PRIMARY KEY (created_at, organization_id, event_id)
  CREATE INDEX subscriber_event_click on subscriber_event USING btree (organization_id, campaign_id, subscriber_id) WHERE (type = 'EMAIL_CLICKED'::text)
  CREATE INDEX subscriber_event_feed on subscriber_event USING btree (organization_id, subscriber_id, created_at DESC, event_id DESC)
  CREATE INDEX subscriber_event_type on subscriber_event USING btree (organization_id, type, created_at) INCLUDE (subscriber_id)
table subscriber_import
  organization_id uuid not null
  import_id uuid not null
  name text
  state text not null
  source text
  delimiter text
  encoding text
  format jsonb
  columns text[]
  received_bytes bigint not null default 0
  mapping jsonb
  options jsonb
  checked jsonb
  started_by jsonb
  rows_total integer
  rows_added integer not null default 0
  read_bytes bigint not null default 0
  read_lines integer not null default 0
  rows_done integer not null default 0
  imported integer not null default 0
  updated integer not null default 0
  unchanged integer not null default 0
  failed integer not null default 0
  failure text
  error_chunks integer not null default 0
  error_bytes bigint not null default 0
  owner uuid
  fence bigint not null default 0
  tries integer not null default 0
  until timestamp(3) with time zone
  claimed_at timestamp with time zone
  created_at timestamp(3) with time zone not null
  changed_at timestamp(3) with time zone not null
  started_at timestamp(3) with time zone
  advanced_at timestamp(3) with time zone
  finished_at timestamp(3) with time zone
  constraint subscriber_import_pkey PRIMARY KEY (organization_id, import_id)
  constraint subscriber_import_source_check CHECK ((source = ANY (ARRAY['FILE'::text, 'ROWS'::text])))
  constraint subscriber_import_state_check CHECK ((state = ANY (ARRAY['NEW'::text, 'UPLOADING'::text, 'UPLOADED'::text, 'CHECKING'::text, 'CHECKED'::text, 'RUNNING'::text, 'DONE'::text, 'FAILED'::text, 'CANCELED'::text])))
  CREATE INDEX subscriber_import_age on subscriber_import USING btree (changed_at)
  CREATE INDEX subscriber_import_queue on subscriber_import USING btree (created_at) WHERE (state = ANY (ARRAY['CHECKING'::text, 'RUNNING'::text]))
table subscriber_import_error_chunk
  organization_id uuid not null
  import_id uuid not null
  chunk_no integer not null
  content bytea not null
  constraint subscriber_import_error_chunk_pkey PRIMARY KEY (organization_id, import_id, chunk_no)
table subscriber_import_piece
  organization_id uuid not null
  import_id uuid not null
  piece_no integer not null
  content bytea not null
  constraint subscriber_import_piece_pkey PRIMARY KEY (organization_id, import_id, piece_no)
unlogged table subscriber_import_trial
  organization_id uuid not null
  import_id uuid not null
  email_key text not null
  state jsonb not null
  constraint subscriber_import_trial_pkey PRIMARY KEY (organization_id, import_id, email_key)
table subscriber_tag
  organization_id uuid not null
  tag_id uuid not null
  subscriber_id uuid not null
  added_at timestamp(3) with time zone not null
  constraint subscriber_tag_pkey PRIMARY KEY (organization_id, tag_id, subscriber_id)
  CREATE INDEX subscriber_tag_holder on subscriber_tag USING btree (organization_id, subscriber_id) INCLUDE (tag_id)
table subscriber_workflow with (fillfactor=80)
  organization_id uuid not null
  workflow_id uuid not null
  subscriber_id uuid not null
  active_runs integer not null default 0
  completed_runs integer not null default 0
  entered_at timestamp(3) with time zone
  constraint subscriber_workflow_pkey PRIMARY KEY (organization_id, workflow_id, subscriber_id)
table tag
  organization_id uuid not null
  tag_id uuid not null
  name text not null
  name_key text not null
  deleted_at timestamp(3) with time zone
  former_keys text[] not null default '{}'::text[]
  constraint tag_pkey PRIMARY KEY (organization_id, tag_id)
  CREATE INDEX tag_deleted on tag USING btree (deleted_at) WHERE (deleted_at IS NOT NULL)
  CREATE UNIQUE INDEX tag_name on tag USING btree (organization_id, name_key) WHERE (deleted_at IS NULL)
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
function canonical_country() 6281727de7488a04959f6aa033c3d01f
function count_changed_days() 2677002e8f3967c906349220f453c7db
function count_first_days() 89afcf97e3f140d0caea054bd0990730
function count_gone_days() 75d7bed227169917ea2edc6716711d88
function fill_subject(parts text[], vals text[]) 81b220ffe9502ecec35a4734b2f5420e
function maintain_partition(of_table text, at timestamp with time zone) d86709842aee4f08b413aa27721bbaf1
function maintain_partitions() 7db48408f5b9507e42d51976f552e7dd
function partition_ranges(of_table text, at timestamp with time zone) 51313f0eba4a0b5db41a92f63a1e2fcc
function text_instant(value text, zone text) 9dd78dd6e322017debacbe5b705e4e79
function text_number(value text) 3815369b1ca51a16b2ab20da770d0400
function unpublished_batches(lanes smallint[], per_lane integer) d3aaa339721d2df9ea41ee33ed22b309
function uuid_floor(at timestamp with time zone) 0a56353cbfe56bfabbb06c7d18fd3637
function wire_id(prefix text, id uuid) 44ee8ad377e21b5b10bdc2b7be04f265
view campaign_mail_event 331645c88c8a3422123c3a01aa4fa9dc
view recipient_campaign 3c44796651be93a16455b2f2ea8449fc
