table api_token
  organization_id uuid not null
  token_id uuid not null
  token_hash text not null
  last_four text not null
  name text not null
  scopes text[] not null
  self_confirm boolean not null
  expires_at timestamp(3) with time zone
  revoked_at timestamp(3) with time zone
  last_used_at timestamp(3) with time zone
  constraint api_token_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint api_token_pkey PRIMARY KEY (organization_id, token_id)
  constraint api_token_scopes_check CHECK (((scopes <@ ARRAY['read'::text, 'write'::text, 'send'::text]) AND (scopes <> '{}'::text[])))
  constraint api_token_token_hash_key UNIQUE (token_hash)
  constraint api_token_token_id_key UNIQUE (token_id)
table approval
  organization_id uuid not null
  approval_id uuid not null
  token_id uuid not null
  request_hash text not null
  tool text not null
  action text not null
  message text not null
  state text not null default 'PENDING'::text
  decided_at timestamp(3) with time zone
  constraint approval_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint approval_pkey PRIMARY KEY (organization_id, approval_id)
  constraint approval_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REJECTED'::text])))
  constraint approval_token_id_fkey FOREIGN KEY (token_id) REFERENCES api_token(token_id)
  CREATE INDEX approval_call on approval USING btree (organization_id, token_id, request_hash, approval_id)
  CREATE UNIQUE INDEX approval_id on approval USING btree (approval_id)
  CREATE INDEX approval_open on approval USING btree (approval_id) WHERE (state = 'PENDING'::text)
table audit_entry
  organization_id uuid not null
  audit_id uuid not null
  token_id uuid not null
  tool text not null
  target text
  source text not null
  outcome text not null
  request_id text not null
  constraint audit_entry_pkey PRIMARY KEY (organization_id, audit_id)
  CREATE INDEX audit_entry_age on audit_entry USING btree (audit_id)
table backup
  backup_id uuid not null
  kind text not null
  started_at timestamp(3) with time zone not null default clock_timestamp()
  finished_at timestamp(3) with time zone
  constraint backup_kind_check CHECK ((kind = ANY (ARRAY['PHYSICAL'::text, 'LOGICAL'::text])))
  constraint backup_pkey PRIMARY KEY (backup_id)
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
table dkim_key
  organization_id uuid not null
  dkim_key_id uuid not null
  domain_id uuid not null
  selector text not null
  public_key text not null
  private_key_sealed bytea not null
  wrapping_key_id text not null
  constraint dkim_key_organization_id_domain_id_fkey FOREIGN KEY (organization_id, domain_id) REFERENCES sending_domain(organization_id, domain_id)
  constraint dkim_key_pkey PRIMARY KEY (organization_id, dkim_key_id)
  CREATE INDEX dkim_key_of_domain on dkim_key USING btree (organization_id, domain_id, dkim_key_id)
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
table organization
  organization_id uuid not null
  number integer not null identity
  name text not null
  timezone text not null
  address text
  plan text not null
  double_opt_in boolean not null
  currency text not null
  rate_per_minute integer
  updated_at timestamp(3) with time zone not null default clock_timestamp()
  quotas jsonb not null default '{}'::jsonb
  track_opens boolean not null default true
  track_clicks boolean not null default true
  cell text
  constraint organization_number_key UNIQUE (number)
  constraint organization_pkey PRIMARY KEY (organization_id)
  constraint organization_plan_fkey FOREIGN KEY (plan) REFERENCES plan(plan)
table outbox partition by RANGE (outbox_id)
  outbox_id uuid not null
  seq bigint not null identity
  lane smallint not null
  organization_id uuid not null
  subject text not null
  events jsonb not null
  published_at timestamp(3) with time zone
  constraint outbox_pkey PRIMARY KEY (outbox_id)
  CREATE INDEX outbox_unpublished on outbox USING btree (lane, seq) WHERE (published_at IS NULL)
table partitioned
  table_name text not null
  kind text not null
  keep interval
  storage text not null default 'fillfactor = 100'::text
  keep_while text
  constraint partitioned_kind_check CHECK ((kind = ANY (ARRAY['day-uuid'::text, 'month-date'::text, 'month-timestamp'::text])))
  constraint partitioned_pkey PRIMARY KEY (table_name)
table plan
  plan text not null
  quotas jsonb not null default '{}'::jsonb
  constraint plan_pkey PRIMARY KEY (plan)
unlogged table rate_ring with (fillfactor=30)
  organization_id uuid not null
  per_minute integer not null
  head bigint not null
  slots integer[] not null
  granted integer not null
  constraint rate_ring_pkey PRIMARY KEY (organization_id)
table sender
  organization_id uuid not null
  sender_id uuid not null
  domain_id uuid not null
  display_name text not null
  local_part text not null
  reply_to text
  is_default boolean not null
  last_used_at timestamp(3) with time zone
  constraint sender_organization_id_domain_id_fkey FOREIGN KEY (organization_id, domain_id) REFERENCES sending_domain(organization_id, domain_id)
  constraint sender_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint sender_pkey PRIMARY KEY (organization_id, sender_id)
  CREATE UNIQUE INDEX sender_address on sender USING btree (organization_id, domain_id, lower(local_part))
  CREATE UNIQUE INDEX sender_default on sender USING btree (organization_id) WHERE is_default
table sending_domain
  organization_id uuid not null
  domain_id uuid not null
  domain text not null
  sandbox boolean not null
  status text not null
  dkim_status text not null
  mail_from_status text not null
  mail_from_domain text not null
  verification_token text not null
  checked_at timestamp(3) with time zone
  failing_since timestamp(3) with time zone
  verified_at timestamp(3) with time zone
  checks jsonb not null default '{}'::jsonb
  next_check_at timestamp(3) with time zone
  constraint sending_domain_dkim_status_check CHECK ((dkim_status = ANY (ARRAY['PENDING'::text, 'VERIFIED'::text, 'FAILED'::text])))
  constraint sending_domain_mail_from_status_check CHECK ((mail_from_status = ANY (ARRAY['PENDING'::text, 'VERIFIED'::text, 'FAILED'::text])))
  constraint sending_domain_organization_id_domain_key UNIQUE (organization_id, domain)
  constraint sending_domain_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint sending_domain_pkey PRIMARY KEY (organization_id, domain_id)
  constraint sending_domain_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'VERIFIED'::text, 'FAILED'::text])))
  CREATE INDEX sending_domain_due on sending_domain USING btree (next_check_at) WHERE (next_check_at IS NOT NULL)
  CREATE UNIQUE INDEX sending_domain_owner on sending_domain USING btree (domain) WHERE (status = 'VERIFIED'::text)
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
table web_domain
  organization_id uuid not null
  web_domain_id uuid not null
  hostname text not null
  status text not null default 'PENDING'::text
  checks jsonb not null default '{}'::jsonb
  checked_at timestamp(3) with time zone
  failing_since timestamp(3) with time zone
  verified_at timestamp(3) with time zone
  next_check_at timestamp(3) with time zone not null
  constraint web_domain_hostname_key UNIQUE (hostname)
  constraint web_domain_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint web_domain_pkey PRIMARY KEY (organization_id, web_domain_id)
  constraint web_domain_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'VERIFIED'::text, 'FAILED'::text])))
  CREATE INDEX web_domain_due on web_domain USING btree (next_check_at)
function maintain_partitions() be07eecfdcd887100e687475a661239d
function uuid_floor(at timestamp with time zone) 0a56353cbfe56bfabbb06c7d18fd3637
