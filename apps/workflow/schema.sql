table date_trigger_day
  organization_id uuid not null
  workflow_id uuid not null
  step_id text not null
  day date not null
  constraint date_trigger_day_pkey PRIMARY KEY (organization_id, workflow_id, step_id, day)
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
table email_use
  organization_id uuid not null
  email_id uuid not null
  workflow_id uuid not null
  step_id text not null
  constraint email_use_pkey PRIMARY KEY (organization_id, email_id)
table enrolled_once
  organization_id uuid not null
  workflow_id uuid not null
  subscriber_id uuid not null
  constraint enrolled_once_pkey PRIMARY KEY (organization_id, workflow_id, subscriber_id)
table enrolment_job
  organization_id uuid not null
  job_id uuid not null
  workflow_id uuid not null
  step_id text
  audience_id uuid
  page_no integer not null default 0
  counts jsonb not null
  created_at timestamp(3) with time zone not null
  finished_at timestamp(3) with time zone
  filters jsonb not null default '[]'::jsonb
  matched integer not null default 0
  pages integer not null default 0
  until timestamp(3) with time zone not null default '-infinity'::timestamp with time zone
  failure text
  attempts integer not null default 0
  released_at timestamp(3) with time zone
  constraint enrolment_job_pkey PRIMARY KEY (organization_id, job_id)
  CREATE INDEX enrolment_job_failed on enrolment_job USING btree (finished_at) WHERE (failure IS NOT NULL)
  CREATE INDEX enrolment_job_held on enrolment_job USING btree (until) WHERE (released_at IS NULL)
  CREATE INDEX enrolment_job_of_workflow on enrolment_job USING btree (organization_id, workflow_id, job_id)
  CREATE INDEX enrolment_job_open on enrolment_job USING btree (until) WHERE (finished_at IS NULL)
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
table pause_request
  seq bigint not null identity
  organization_id uuid not null
  workflow_id uuid not null
  subscriber_id uuid not null
  constraint pause_request_pkey PRIMARY KEY (seq)
  CREATE INDEX pause_request_of_workflow on pause_request USING btree (organization_id, workflow_id)
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
table run with (fillfactor=80)
  organization_id uuid not null
  run_id uuid not null
  workflow_id uuid not null
  version integer not null
  group_id uuid
  subscriber_id uuid not null
  state text not null
  step_id text
  visit integer not null default 0
  waiting_for jsonb
  next_action_at timestamp(3) with time zone
  shard smallint not null
  owner uuid
  fence bigint not null default 0
  until timestamp(3) with time zone
  started_at timestamp(3) with time zone not null
  finished_at timestamp(3) with time zone
  reason text
  steps_without_wait integer not null default 0
  attempts integer not null default 0
  first_step_only boolean not null default false
  goals text[] not null default '{}'::text[]
  held_at timestamp(3) with time zone
  check_at timestamp(3) with time zone
  met text[] not null default '{}'::text[]
  arrival integer
  constraint run_pkey PRIMARY KEY (organization_id, run_id)
  constraint run_state_check CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'WAITING'::text, 'COMPLETED'::text, 'CANCELED'::text, 'FAILED'::text])))
  CREATE INDEX run_check on run USING btree (shard, check_at) WHERE ((state = ANY (ARRAY['ACTIVE'::text, 'WAITING'::text])) AND (check_at IS NOT NULL))
  CREATE INDEX run_check_by_organization on run USING btree (shard, organization_id, check_at) WHERE (check_at IS NOT NULL)
  CREATE INDEX run_due on run USING btree (shard, next_action_at) WHERE ((state = ANY (ARRAY['ACTIVE'::text, 'WAITING'::text])) AND (next_action_at IS NOT NULL))
  CREATE INDEX run_due_by_organization on run USING btree (shard, organization_id, next_action_at) WHERE (next_action_at IS NOT NULL)
  CREATE INDEX run_held on run USING btree (organization_id, workflow_id) WHERE (held_at IS NOT NULL)
  CREATE INDEX run_of_subscriber on run USING btree (organization_id, subscriber_id, run_id)
  CREATE INDEX run_of_workflow on run USING btree (organization_id, workflow_id, state)
  CREATE INDEX run_unfinished on run USING btree (organization_id, subscriber_id) WHERE (finished_at IS NULL)
table run_history partition by RANGE (at)
  organization_id uuid not null
  run_id uuid not null
  visit integer not null
  step_id text not null
  at timestamp(3) with time zone not null
  outcome text not null
  data jsonb not null
  constraint run_history_pkey PRIMARY KEY (at, organization_id, run_id, visit)
  CREATE INDEX run_history_of_run on run_history USING btree (organization_id, run_id, visit)
table simulation
  organization_id uuid not null
  simulation_id uuid not null
  workflow_id uuid not null
  version integer
  draft_at timestamp(3) with time zone not null
  draft jsonb not null
  from_at timestamp(3) with time zone not null
  to_at timestamp(3) with time zone not null
  status text not null
  failure text
  after_id uuid
  subscribers_read integer not null default 0
  total integer
  totals jsonb not null
  attempts integer not null default 0
  until timestamp(3) with time zone not null default '-infinity'::timestamp with time zone
  finished_at timestamp(3) with time zone
  constraint simulation_pkey PRIMARY KEY (organization_id, simulation_id)
  constraint simulation_status_check CHECK ((status = ANY (ARRAY['RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text])))
  CREATE INDEX simulation_of_workflow on simulation USING btree (organization_id, workflow_id, simulation_id)
  CREATE INDEX simulation_old on simulation USING btree (finished_at) WHERE (finished_at IS NOT NULL)
  CREATE INDEX simulation_running on simulation USING btree (until) WHERE (status = 'RUNNING'::text)
table start_request
  seq bigint not null identity
  organization_id uuid not null
  subscriber_id uuid not null
  workflow_id uuid not null
  step_id text
  filters jsonb
  any_status boolean not null
  cause text not null
  until timestamp(3) with time zone not null default '-infinity'::timestamp with time zone
  constraint start_request_pkey PRIMARY KEY (seq)
  CREATE INDEX start_request_by_subscriber on start_request USING btree (subscriber_id)
  CREATE INDEX start_request_of_organization on start_request USING btree (organization_id, seq)
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
table trigger_index
  organization_id uuid not null
  kind text not null
  key text not null
  workflow_id uuid not null
  version integer not null
  constraint trigger_index_pkey PRIMARY KEY (organization_id, kind, key, workflow_id)
table workflow
  organization_id uuid not null
  workflow_id uuid not null
  name text not null
  status text not null
  draft jsonb not null
  settings jsonb not null
  success_goals jsonb not null
  group_id uuid
  published_version integer
  updated_at timestamp(3) with time zone not null
  sweep text
  paused_reason text
  resumed_at timestamp(3) with time zone
  constraint workflow_pkey PRIMARY KEY (organization_id, workflow_id)
  constraint workflow_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'ACTIVE'::text, 'PAUSED'::text, 'ARCHIVED'::text])))
  constraint workflow_sweep_check CHECK ((sweep = ANY (ARRAY['RELEASE'::text, 'CANCEL'::text])))
  CREATE INDEX workflow_of_group on workflow USING btree (organization_id, group_id) WHERE (group_id IS NOT NULL)
  CREATE INDEX workflow_paused_by_system on workflow USING btree (organization_id, workflow_id) WHERE ((status = 'PAUSED'::text) AND (paused_reason IS NOT NULL))
  CREATE INDEX workflow_plain_secret on workflow USING btree (organization_id, workflow_id) WHERE jsonb_path_exists(draft, '$."steps"[*]."config"?(@."kind" == "WEBHOOK" && (@."secret".type() == "string" || exists (@."headers".*)))'::jsonpath)
  CREATE INDEX workflow_search on workflow USING gin (organization_id, lower(name) gin_trgm_ops)
  CREATE INDEX workflow_sweep on workflow USING btree (sweep) WHERE (sweep IS NOT NULL)
table workflow_email
  organization_id uuid not null
  email_id uuid not null
  workflow_id uuid not null
  step_id text not null
  subject text not null
  preview text
  content jsonb not null
  content_type text not null
  sender_id uuid
  reply_to text
  updated_at timestamp(3) with time zone not null
  constraint workflow_email_pkey PRIMARY KEY (organization_id, email_id)
  CREATE INDEX workflow_email_step on workflow_email USING btree (organization_id, workflow_id, step_id)
table workflow_group
  organization_id uuid not null
  group_id uuid not null
  name text not null
  name_key text not null
  conflict_strategy text not null
  updated_at timestamp(3) with time zone not null
  constraint workflow_group_conflict_strategy_check CHECK ((conflict_strategy = ANY (ARRAY['CANCEL_EXISTING'::text, 'SKIP_NEW'::text, 'RUN_FIRST_STEP'::text])))
  constraint workflow_group_pkey PRIMARY KEY (organization_id, group_id)
  CREATE UNIQUE INDEX workflow_group_name on workflow_group USING btree (organization_id, name_key)
table workflow_version
  organization_id uuid not null
  workflow_id uuid not null
  version integer not null
  graph jsonb not null
  settings jsonb not null
  success_goals jsonb not null
  emails jsonb not null
  published_at timestamp(3) with time zone not null
  constraint workflow_version_pkey PRIMARY KEY (organization_id, workflow_id, version)
  CREATE INDEX workflow_version_plain_secret on workflow_version USING btree (organization_id, workflow_id, version) WHERE jsonb_path_exists(graph, '$."steps"[*]."config"?(@."kind" == "WEBHOOK" && (@."secret".type() == "string" || exists (@."headers".*)))'::jsonpath)
function claim_start_requests(per_organization integer, lease_seconds double precision) a708d42038613f3760b59a72f0bae31c
function maintain_partition(of_table text, at timestamp with time zone) d86709842aee4f08b413aa27721bbaf1
function maintain_partitions() 7db48408f5b9507e42d51976f552e7dd
function partition_ranges(of_table text, at timestamp with time zone) 51313f0eba4a0b5db41a92f63a1e2fcc
function unpublished_batches(lanes smallint[], per_lane integer) d3aaa339721d2df9ea41ee33ed22b309
function uuid_floor(at timestamp with time zone) 0a56353cbfe56bfabbb06c7d18fd3637
