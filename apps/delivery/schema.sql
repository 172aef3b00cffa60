table bounce_report
  organization_id uuid not null
  report_id uuid not null
  message_id uuid
  period date
  class text not null
  raw text not null
  constraint bounce_report_pkey PRIMARY KEY (organization_id, report_id)
  CREATE INDEX bounce_report_age on bounce_report USING btree (report_id)
  CREATE INDEX bounce_report_message on bounce_report USING btree (organization_id, message_id)
table campaign_message partition by RANGE (message_id)
  message_id uuid not null
  attempted_at timestamp(3) with time zone
  counted_at timestamp(3) with time zone
  mailbox_hash bigint
  organization_id uuid not null
  subscriber_id uuid
  relay_id smallint
  code smallint
  attempts smallint not null default 0
  state "char" not null
  kind "char" not null
  simulated boolean not null default false
  email text not null
  response text
  subject_values jsonb
  variant smallint
  provider_id text
  skip_reason text
  delivered_at timestamp(3) with time zone
  first_opened_at timestamp(3) with time zone
  first_clicked_at timestamp(3) with time zone
  opens integer not null default 0
  clicks integer not null default 0
  address_hash text
  constraint campaign_message_pkey PRIMARY KEY (message_id)
  constraint campaign_message_state_check CHECK ((state = ANY (ARRAY['Q'::"char", 'S'::"char", 'D'::"char", 'B'::"char", 'C'::"char", 'W'::"char", 'F'::"char", 'K'::"char", 'I'::"char"])))
  CREATE INDEX campaign_message_mailbox_hash on campaign_message USING btree (mailbox_hash)
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
table destination
  name text not null
  backoff_until timestamp(3) with time zone not null
  failures integer not null
  reason text not null
  constraint destination_pkey PRIMARY KEY (name)
table engagement_hour with (fillfactor=70)
  organization_id uuid not null
  hour timestamp(0) with time zone not null
  kind text not null
  lane smallint not null
  sent bigint not null default 0
  delivered bigint not null default 0
  bounced bigint not null default 0
  complained bigint not null default 0
  unsubscribed bigint not null default 0
  opens bigint not null default 0
  unique_opens bigint not null default 0
  clicks bigint not null default 0
  unique_clicks bigint not null default 0
  constraint engagement_hour_pkey PRIMARY KEY (organization_id, hour, kind, lane)
  CREATE INDEX engagement_hour_age on engagement_hour USING btree (hour)
table erasure
  organization_id uuid not null
  subscriber_id uuid not null
  created_at timestamp(3) with time zone not null default clock_timestamp()
  due_at timestamp(3) with time zone not null default clock_timestamp()
  mailbox_hash bigint
  message_ids uuid[] not null default '{}'::uuid[]
  constraint erasure_pkey PRIMARY KEY (organization_id, subscriber_id)
  CREATE INDEX erasure_due on erasure USING btree (due_at)
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
table health_day with (fillfactor=70)
  organization_id uuid not null
  day date not null
  lane smallint not null
  sent bigint not null default 0
  delivered bigint not null default 0
  bounced bigint not null default 0
  complained bigint not null default 0
  constraint health_day_pkey PRIMARY KEY (organization_id, day, lane)
table inbox partition by RANGE (outbox_id)
  consumer text not null
  outbox_id uuid not null
  seen_at timestamp(3) with time zone not null default clock_timestamp()
  constraint inbox_pkey PRIMARY KEY (consumer, outbox_id)
table kept_answer
  organization_id uuid not null
  name text not null
  sealed bytea not null
  confirmed_at timestamp(3) with time zone not null default clock_timestamp()
  constraint kept_answer_pkey PRIMARY KEY (organization_id, name)
table lane_lease
  role text not null
  lane smallint not null
  owner uuid not null
  fence bigint not null
  until timestamp(3) with time zone not null
  position jsonb
  constraint lane_lease_pkey PRIMARY KEY (role, lane)
table mail_hold
  only_row boolean not null default true
  held_at timestamp(3) with time zone not null default clock_timestamp()
  reason text not null
  held_by text not null
  pauses_sends boolean not null default false
  constraint mail_hold_only_row_check CHECK (only_row)
  constraint mail_hold_pkey PRIMARY KEY (only_row)
table mail_quota with (fillfactor=70)
  organization_id uuid not null
  period date not null
  used bigint not null
  constraint mail_quota_pkey PRIMARY KEY (organization_id, period)
table master_key_check
  only_row boolean not null default true
  fingerprint text not null
  sealed bytea not null
  created_at timestamp(3) with time zone not null default clock_timestamp()
  constraint master_key_check_only_row_check CHECK (only_row)
  constraint master_key_check_pkey PRIMARY KEY (only_row)
table message partition by RANGE (period)
  organization_id uuid not null
  message_id uuid not null
  period date not null
  kind text not null
  send_id uuid
  page_no integer
  subscriber_id uuid
  email text not null
  subject text not null
  source_key text
  state text not null
  skip_reason text
  simulated boolean not null default false
  owner uuid
  fence bigint not null default 0
  attempts smallint not null default 0
  due_at timestamp(3) with time zone
  code smallint
  enhanced_code text
  response text
  accepted_at timestamp(3) with time zone
  delivered_at timestamp(3) with time zone
  first_opened_at timestamp(3) with time zone
  first_clicked_at timestamp(3) with time zone
  opens integer not null default 0
  clicks integer not null default 0
  tags jsonb
  address_hash text
  constraint message_kind_check CHECK ((kind = ANY (ARRAY['CAMPAIGN'::text, 'TRANSACTIONAL'::text, 'WORKFLOW'::text, 'SMTP'::text, 'TEST'::text])))
  constraint message_pkey PRIMARY KEY (period, organization_id, message_id)
  constraint message_state_check CHECK ((state = ANY (ARRAY['QUEUED'::text, 'HANDING_OVER'::text, 'SENT'::text, 'DELIVERED'::text, 'BOUNCED'::text, 'COMPLAINED'::text, 'DEFERRED'::text, 'FAILED'::text, 'SKIPPED'::text, 'IN_DOUBT'::text])))
  CREATE INDEX message_due on message USING btree (kind, due_at) WHERE (due_at IS NOT NULL)
  CREATE INDEX message_due_of_organization on message USING btree (kind, organization_id, due_at) WHERE (due_at IS NOT NULL)
  CREATE INDEX message_due_of_send on message USING btree (organization_id, send_id) WHERE (due_at IS NOT NULL)
  CREATE INDEX message_held on message USING btree (due_at) WHERE (owner IS NOT NULL)
  CREATE UNIQUE INDEX message_of_send on message USING btree (send_id, subscriber_id, period, organization_id)
  CREATE INDEX message_of_subscriber on message USING btree (organization_id, subscriber_id, message_id DESC)
table message_content partition by RANGE (period)
  organization_id uuid not null
  message_id uuid not null
  period date not null
  html text
  text text
  headers jsonb
  raw bytea
  constraint message_content_pkey PRIMARY KEY (period, organization_id, message_id)
table message_link partition by RANGE (period)
  organization_id uuid not null
  message_id uuid not null
  period date not null
  link_number integer not null
  constraint message_link_pkey PRIMARY KEY (period, organization_id, message_id, link_number)
table message_queue with (fillfactor=70)
  message_id uuid not null
  organization_id uuid not null
  kind "char" not null
  send_id uuid
  relay_id smallint
  due_at timestamp(3) with time zone not null
  attempts smallint not null default 0
  owner uuid
  fence bigint not null default 0
  until timestamp(3) with time zone
  state text not null
  constraint message_queue_pkey PRIMARY KEY (message_id)
  constraint message_queue_state_check CHECK ((state = ANY (ARRAY['QUEUED'::text, 'DEFERRED'::text, 'ATTEMPTING'::text])))
  CREATE INDEX message_queue_due on message_queue USING btree (kind, due_at)
  CREATE INDEX message_queue_due_of_organization on message_queue USING btree (kind, organization_id, due_at)
  CREATE INDEX message_queue_owned on message_queue USING btree (until) WHERE (owner IS NOT NULL)
table message_source
  organization_id uuid not null
  source_key text not null
  message_id uuid not null
  period date not null
  constraint message_source_pkey PRIMARY KEY (organization_id, source_key)
table migration
  id integer not null default nextval('migration_id_seq'::regclass)
  timestamp bigint not null
  name character varying not null
  constraint PK_3043fc6b8af7c99b8b98830094f PRIMARY KEY (id)
table organization_turn with (fillfactor=70)
  organization_id uuid not null
  turn_at timestamp with time zone
  constraint organization_turn_pkey PRIMARY KEY (organization_id)
  CREATE INDEX organization_turn_next on organization_turn USING btree (turn_at) WHERE (turn_at IS NOT NULL)
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
table recipient_guard with (fillfactor=70)
  organization_id uuid not null
  mailbox text not null
  sent_at timestamp(3) with time zone[] not null
  constraint recipient_guard_pkey PRIMARY KEY (organization_id, mailbox)
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
table send
  organization_id uuid not null
  send_id uuid not null
  campaign_id uuid not null
  campaign_name text not null
  audience_id uuid not null
  template jsonb not null
  sender jsonb not null
  reply_to text
  organization_name text not null
  track_opens boolean
  track_clicks boolean
  state text not null default 'RUNNING'::text
  paused_reason text
  waiting_for text
  not_before timestamp(3) with time zone
  total integer not null
  pages integer not null
  period date not null
  priority smallint not null default 0
  served_at timestamp(3) with time zone not null default clock_timestamp()
  started_at timestamp(3) with time zone not null default clock_timestamp()
  finished_at timestamp(3) with time zone
  layout smallint not null default 0
  due_at timestamp(3) with time zone
  subject jsonb
  chunks_kept boolean not null default true
  constraint send_pkey PRIMARY KEY (organization_id, send_id)
  constraint send_state_check CHECK ((state = ANY (ARRAY['RUNNING'::text, 'PAUSED'::text, 'STOPPED'::text, 'DONE'::text])))
  CREATE UNIQUE INDEX send_by_position on send USING btree (send_id) WHERE (layout = 1)
  CREATE INDEX send_chunks_kept on send USING btree (finished_at) WHERE (chunks_kept AND (finished_at IS NOT NULL))
  CREATE INDEX send_finished on send USING btree (organization_id, finished_at) WHERE ((layout = 1) AND (finished_at IS NOT NULL))
  CREATE INDEX send_queue on send USING btree (priority, served_at) WHERE (finished_at IS NULL)
  CREATE INDEX send_running on send USING btree (organization_id, campaign_id) WHERE (finished_at IS NULL)
  CREATE INDEX send_stopped on send USING btree (organization_id, send_id) WHERE ((finished_at IS NULL) AND (state = 'STOPPED'::text))
  CREATE INDEX send_unfinished on send USING btree (organization_id, send_id) WHERE ((layout = 1) AND (finished_at IS NULL))
table send_attempt with (fillfactor=50)
  organization_id uuid not null
  send_id uuid not null
  chunk_no integer not null
  fence bigint not null
  relay_id smallint not null
  step integer not null
  attempted bit(512) not null
  pending bigint[] not null default '{}'::bigint[]
  constraint send_attempt_pkey PRIMARY KEY (organization_id, send_id, chunk_no, fence, relay_id)
table send_end_check
  check_id bigint not null identity
  organization_id uuid not null
  send_id uuid not null
  constraint send_end_check_pkey PRIMARY KEY (check_id)
table send_engine
  owner uuid not null
  started_at timestamp(3) with time zone not null default clock_timestamp()
  constraint send_engine_pkey PRIMARY KEY (owner)
table send_page with (fillfactor=50)
  organization_id uuid not null
  send_id uuid not null
  page_no integer not null
  state text not null default 'READY'::text
  owner uuid
  fence bigint not null default 0
  until timestamp(3) with time zone
  sent integer not null default 0
  delivered integer not null default 0
  bounced integer not null default 0
  failed integer not null default 0
  deferred integer not null default 0
  in_doubt integer not null default 0
  skipped jsonb not null default '{}'::jsonb
  due_at timestamp(3) with time zone
  settled_at timestamp(3) with time zone
  constraint send_page_pkey PRIMARY KEY (organization_id, send_id, page_no)
  constraint send_page_state_check CHECK ((state = ANY (ARRAY['READY'::text, 'LEASED'::text, 'DONE'::text])))
  CREATE INDEX send_page_deferred on send_page USING btree (organization_id, send_id) WHERE (deferred > 0)
  CREATE INDEX send_page_leased on send_page USING btree (owner) WHERE (state = 'LEASED'::text)
  CREATE INDEX send_page_leased_of_organization on send_page USING btree (organization_id, send_id, page_no) WHERE (state = 'LEASED'::text)
  CREATE INDEX send_page_open on send_page USING btree (organization_id, send_id, page_no) WHERE (state <> 'DONE'::text)
table send_trial with (fillfactor=70)
  organization_id uuid not null
  campaign_id uuid not null
  results integer not null
  bounced integer not null
  complained integer not null
  paused_at timestamp(3) with time zone
  newest_message uuid
  slots int4multirange
  constraint send_trial_pkey PRIMARY KEY (organization_id, campaign_id)
table send_turn with (fillfactor=70)
  organization_id uuid not null
  send_id uuid not null
  turn_at timestamp with time zone not null
  constraint send_turn_pkey PRIMARY KEY (organization_id, send_id)
  CREATE INDEX send_turn_next on send_turn USING btree (organization_id, turn_at)
table send_turn_change
  change_id bigint not null identity
  organization_id uuid not null
  send_id uuid not null
  noted_at timestamp with time zone not null default clock_timestamp()
  constraint send_turn_change_pkey PRIMARY KEY (change_id)
  CREATE INDEX send_turn_change_of_organization on send_turn_change USING btree (organization_id, change_id)
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
table test_message
  organization_id uuid not null
  message_id uuid not null
  period date not null
  constraint test_message_pkey PRIMARY KEY (message_id)
function chunk_of_message(id uuid) 67dd6430431eaa3a03e3972033525c82
function claim_chunk(in_owner uuid, lease_seconds double precision, passed_over uuid[], visited uuid[]) e190b1035d6bb0c1e5960168470ff655
function commit_chunks(in_owner uuid, lease_seconds double precision, c_organization uuid[], c_send uuid[], c_chunk integer[], c_fence bigint[], c_relay smallint[], c_step integer[], c_done integer[], c_first uuid[], c_last uuid[], c_outbox uuid[], c_lane smallint[], c_events text[], c_pending text[], o_n integer[], o_id uuid[], o_at timestamp with time zone[], o_hash bigint[], o_subscriber uuid[], o_relay smallint[], o_code smallint[], o_attempts smallint[], o_state text[], o_simulated boolean[], o_email text[], o_response text[], o_subject text[], o_skip text[], o_wait double precision[], m_n integer[], m_id uuid[], m_position integer[], m_mailbox text[], m_hash bigint[], m_subscriber uuid[], m_email text[], m_subject text[], x_n integer[], x_position integer[]) bc023d149fe33c3fa09fee129e65abbf
function commit_chunks(in_owner uuid, lease_seconds double precision, c_organization uuid[], c_send uuid[], c_chunk integer[], c_fence bigint[], c_relay smallint[], c_step integer[], c_done integer[], c_first uuid[], c_last uuid[], c_outbox uuid[], c_lane smallint[], c_events text[], o_n integer[], o_id uuid[], o_at timestamp with time zone[], o_hash bigint[], o_subscriber uuid[], o_relay smallint[], o_code smallint[], o_attempts smallint[], o_state text[], o_simulated boolean[], o_email text[], o_response text[], o_subject text[], o_skip text[], o_wait double precision[], m_n integer[], m_id uuid[], m_position integer[], m_mailbox text[], m_hash bigint[], m_subscriber uuid[], m_email text[], m_subject text[], x_n integer[], x_position integer[]) a763b957317549090a371d48ddbda4c7
function guard_opens(times timestamp with time zone[]) 87bec382c7a8d3815c4f2f839d046d98
function last_message_of(send uuid) 7d2057543072090476a1cbb18858e127
function lease_chunk(in_organization uuid, in_send uuid, in_chunk integer, in_owner uuid, lease_seconds double precision) c6bfcdca59361b833d3565b0f941a983
function lock_mailboxes(hashes bigint[]) d518fd621cad70173f1f7af43c44bfaa
function mailbox_times(in_organization uuid, in_mailbox text, in_hash bigint) bcb09f38e03e27fc024a34c2898e4c80
function maintain_partition(of_table text, at timestamp with time zone) d86709842aee4f08b413aa27721bbaf1
function maintain_partitions() 7db48408f5b9507e42d51976f552e7dd
function message_at(send uuid, chunk integer, place integer) 5f1a44c6f90b072c963d1f5a35b044aa
function month_of_uuid(id uuid) 98df9255ac9dac1c3e235e347f8c7e89
function next_send_turn(in_organization uuid, in_send uuid) 4d176b11611fa89b2a8605a48f06837f
function note_end_check() 719cae56fd83ecad29737f42280ea899
function note_new_chunks() f15c8377d22a1b206571a74aa9874acd
function note_turn_change() fbdf592b89f303cfa6b87be66d396fb5
function partition_ranges(of_table text, at timestamp with time zone) 51313f0eba4a0b5db41a92f63a1e2fcc
function place_of_message(id uuid) c2e2a8c5f24e29fc8bc620842754081e
function send_of_message(id uuid) cc4c6dac5e24b861a778a854130acf57
function settle_late(in_organization uuid, in_send uuid, in_chunk integer, in_fence bigint, in_outbox uuid, in_lane smallint, o_id uuid[], o_position integer[], o_at timestamp with time zone[], o_hash bigint[], o_subscriber uuid[], o_relay smallint[], o_code smallint[], o_state text[], o_email text[], o_response text[], o_subject text[], o_wait double precision[], o_events text[]) 400e0e530e566cdc398621faf9b34c19
function take_guard(in_organizations uuid[], in_mailboxes text[], in_hashes bigint[]) 9d093ae99510d2b9001ba7e2cdb6b559
function take_over_chunk(in_organization uuid, in_send uuid, in_chunk integer, in_owner uuid, in_fence bigint, first_id uuid, last_id uuid, r_id uuid[], r_hash bigint[], r_subscriber uuid[], r_email text[], r_simulated boolean[]) 35ff8f5f4cd094d801a2327b31f1b6da
function take_over_chunk(in_organization uuid, in_send uuid, in_chunk integer, in_owner uuid, in_fence bigint, first_id uuid, last_id uuid, r_id uuid[], r_hash bigint[], r_subscriber uuid[], r_email text[], r_simulated boolean[], j_fence bigint[], j_begun text[]) f5b4e5417766eceb9817fdfd7c0ad14b
function unpublished_batches(lanes smallint[], per_lane integer) d3aaa339721d2df9ea41ee33ed22b309
function update_send_turns(most integer) 28d5f6676e1dfd799d9c5d4e2d95e4f1
function uuid_floor(at timestamp with time zone) 0a56353cbfe56bfabbb06c7d18fd3637
view any_message 9a4943c127484757208e9f478405c93c
view ledger_message 43c3e983646630f520c5c5b59f685120
