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
  kind text not null default 'ORGANIZATION'::text
  user_id uuid
  created_by uuid
  toolsets text[]
  end_notices integer not null default 0
  rotated_by uuid[] not null default '{}'::uuid[]
  constraint api_token_kind_check CHECK ((kind = ANY (ARRAY['ORGANIZATION'::text, 'PERSONAL'::text])))
  constraint api_token_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint api_token_pkey PRIMARY KEY (organization_id, token_id)
  constraint api_token_scopes_check CHECK (((scopes <@ ARRAY['read'::text, 'write'::text, 'test'::text, 'send'::text, 'admin'::text]) AND (scopes <> '{}'::text[])))
  constraint api_token_token_hash_key UNIQUE (token_hash)
  constraint api_token_token_id_key UNIQUE (token_id)
  CREATE INDEX api_token_end on api_token USING btree (expires_at) WHERE ((revoked_at IS NULL) AND (created_by IS NOT NULL))
  CREATE INDEX api_token_of_user on api_token USING btree (user_id) WHERE (user_id IS NOT NULL)
table approval
  organization_id uuid not null
  approval_id uuid not null
  token_id uuid
  request_hash text not null
  tool text not null
  action text not null
  message text not null
  state text not null default 'PENDING'::text
  decided_at timestamp(3) with time zone
  user_id uuid
  call_id text
  subject jsonb
  content_hash text
  sealed bytea
  outcome bytea
  expires_at timestamp(3) with time zone
  decided_by uuid
  decided_scopes text[]
  note text
  sealed_text bytea
  constraint approval_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint approval_pkey PRIMARY KEY (organization_id, approval_id)
  constraint approval_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'EXECUTING'::text, 'EXECUTED'::text, 'FAILED'::text, 'REJECTED'::text, 'EXPIRED'::text, 'WITHDRAWN'::text, 'APPROVED'::text])))
  constraint approval_token_id_fkey FOREIGN KEY (token_id) REFERENCES api_token(token_id)
  CREATE INDEX approval_asker on approval USING btree (organization_id, COALESCE(user_id, token_id), request_hash, approval_id)
  CREATE INDEX approval_call on approval USING btree (organization_id, token_id, request_hash, approval_id)
  CREATE INDEX approval_executing on approval USING btree (decided_at) WHERE (state = 'EXECUTING'::text)
  CREATE UNIQUE INDEX approval_id on approval USING btree (approval_id)
  CREATE INDEX approval_open on approval USING btree (approval_id) WHERE (state = 'PENDING'::text)
table approval_notice
  organization_id uuid not null
  approval_id uuid not null
  user_id uuid not null
  due_at timestamp(3) with time zone not null
  next_at timestamp(3) with time zone not null
  constraint approval_notice_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint approval_notice_pkey PRIMARY KEY (user_id, organization_id, approval_id)
  constraint approval_notice_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(user_id) ON DELETE CASCADE
  CREATE INDEX approval_notice_next on approval_notice USING btree (next_at)
table audit_entry
  organization_id uuid not null
  audit_id uuid not null
  token_id uuid
  tool text not null
  target text
  source text not null
  outcome text not null
  request_id text not null
  user_id uuid
  session_id uuid
  ip text
  approved_by uuid
  constraint audit_entry_pkey PRIMARY KEY (organization_id, audit_id)
  CREATE INDEX audit_entry_age on audit_entry USING btree (audit_id)
  CREATE INDEX audit_entry_ip on audit_entry USING btree (audit_id) WHERE (ip IS NOT NULL)
table audit_export
  organization_id uuid not null
  export_id uuid not null
  format text not null
  filter jsonb not null
  created_at timestamp(3) with time zone not null
  constraint audit_export_export_id_key UNIQUE (export_id)
  constraint audit_export_format_check CHECK ((format = ANY (ARRAY['CSV'::text, 'JSON'::text])))
  constraint audit_export_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint audit_export_pkey PRIMARY KEY (organization_id, export_id)
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
table former_token_secret
  token_hash text not null
  token_id uuid not null
  ends_at timestamp(3) with time zone not null
  constraint former_token_secret_pkey PRIMARY KEY (token_hash)
  constraint former_token_secret_token_id_fkey FOREIGN KEY (token_id) REFERENCES api_token(token_id)
  CREATE INDEX former_token_secret_token on former_token_secret USING btree (token_id)
table inbox partition by RANGE (outbox_id)
  consumer text not null
  outbox_id uuid not null
  seen_at timestamp(3) with time zone not null default clock_timestamp()
  constraint inbox_pkey PRIMARY KEY (consumer, outbox_id)
table invitation
  organization_id uuid not null
  invitation_id uuid not null
  email text not null
  email_key text not null
  role text not null
  token_hash text not null
  invited_by uuid
  expires_at timestamp(3) with time zone not null
  constraint invitation_invitation_id_key UNIQUE (invitation_id)
  constraint invitation_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint invitation_pkey PRIMARY KEY (organization_id, email_key)
  constraint invitation_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'approver'::text, 'admin'::text, 'owner'::text])))
  constraint invitation_token_hash_key UNIQUE (token_hash)
  CREATE INDEX invitation_end on invitation USING btree (expires_at)
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
table membership
  organization_id uuid not null
  user_id uuid not null
  role text not null
  created_at timestamp(3) with time zone not null
  constraint membership_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(organization_id)
  constraint membership_pkey PRIMARY KEY (organization_id, user_id)
  constraint membership_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'approver'::text, 'admin'::text, 'owner'::text])))
  constraint membership_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(user_id)
  CREATE INDEX membership_user on membership USING btree (user_id)
table migration
  id integer not null default nextval('migration_id_seq'::regclass)
  timestamp bigint not null
  name character varying not null
  constraint PK_3043fc6b8af7c99b8b98830094f PRIMARY KEY (id)
table oidc_identity
  issuer text not null
  subject text not null
  user_id uuid not null
  created_at timestamp(3) with time zone not null
  constraint oidc_identity_pkey PRIMARY KEY (issuer, subject)
  constraint oidc_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(user_id) ON DELETE CASCADE
  CREATE INDEX oidc_identity_user on oidc_identity USING btree (user_id)
table one_time_link
  token_hash text not null
  kind text not null
  user_id uuid
  email text
  created_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone not null
  constraint one_time_link_kind_check CHECK ((kind = ANY (ARRAY['SETUP'::text, 'RESET'::text, 'ADDRESS'::text])))
  constraint one_time_link_pkey PRIMARY KEY (token_hash)
  constraint one_time_link_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(user_id) ON DELETE CASCADE
  CREATE INDEX one_time_link_end on one_time_link USING btree (expires_at)
  CREATE INDEX one_time_link_user on one_time_link USING btree (user_id, kind)
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
  approvals text not null default 'AGENTS'::text
  approval_hours integer not null default 24
  token_days_max integer
  send_delay_seconds integer not null default 15
  require_second_factor boolean not null default false
  constraint organization_approval_hours_check CHECK (((approval_hours >= 1) AND (approval_hours <= 168)))
  constraint organization_approvals_check CHECK ((approvals = ANY (ARRAY['AGENTS'::text, 'ALL'::text])))
  constraint organization_number_key UNIQUE (number)
  constraint organization_pkey PRIMARY KEY (organization_id)
  constraint organization_plan_fkey FOREIGN KEY (plan) REFERENCES plan(plan)
  constraint organization_send_delay_seconds_check CHECK (((send_delay_seconds >= 0) AND (send_delay_seconds <= 300)))
  constraint organization_token_days_max_check CHECK (((token_days_max >= 1) AND (token_days_max <= 366)))
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
table recovery_code
  user_id uuid not null
  code_hash text not null
  used_at timestamp(3) with time zone
  constraint recovery_code_pkey PRIMARY KEY (user_id, code_hash)
  constraint recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(user_id) ON DELETE CASCADE
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
table retention_period
  organization_id uuid not null
  data text not null
  months integer not null
  constraint retention_period_months_check CHECK ((months > 0))
  constraint retention_period_pkey PRIMARY KEY (organization_id, data)
table second_factor
  factor_id uuid not null
  user_id uuid not null
  kind text not null
  name text not null
  sealed bytea
  last_step bigint
  relying_party text
  credential_id text
  public_key bytea
  counter bigint
  transports text[]
  last_used_at timestamp(3) with time zone
  constraint second_factor_check CHECK (
CASE kind
    WHEN 'TOTP'::text THEN ((sealed IS NOT NULL) AND (last_step IS NOT NULL))
    ELSE ((relying_party IS NOT NULL) AND (credential_id IS NOT NULL) AND (public_key IS NOT NULL) AND (counter IS NOT NULL) AND (transports IS NOT NULL))
END)
  constraint second_factor_credential_id_key UNIQUE (credential_id)
  constraint second_factor_kind_check CHECK ((kind = ANY (ARRAY['TOTP'::text, 'PASSKEY'::text])))
  constraint second_factor_pkey PRIMARY KEY (factor_id)
  constraint second_factor_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(user_id) ON DELETE CASCADE
  CREATE UNIQUE INDEX second_factor_totp on second_factor USING btree (user_id) WHERE (kind = 'TOTP'::text)
  CREATE INDEX second_factor_user on second_factor USING btree (user_id, factor_id)
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
table session
  session_id uuid not null
  user_id uuid not null
  secret_hash text not null
  browser text
  ip text
  signed_in_at timestamp(3) with time zone not null
  last_used_at timestamp(3) with time zone not null
  constraint session_pkey PRIMARY KEY (session_id)
  constraint session_secret_hash_key UNIQUE (secret_hash)
  constraint session_user_id_fkey FOREIGN KEY (user_id) REFERENCES user_account(user_id)
  CREATE INDEX session_of_user on session USING btree (user_id, last_used_at)
  CREATE INDEX session_use on session USING btree (last_used_at)
unlogged table sign_in_count
  key text not null
  since timestamp(3) with time zone not null
  failures integer not null
  retry_at timestamp(3) with time zone not null
  constraint sign_in_count_pkey PRIMARY KEY (key)
  CREATE INDEX sign_in_count_since on sign_in_count USING btree (since)
unlogged table sign_in_ticket
  ticket_hash text not null
  user_id uuid
  purpose text not null
  action text
  target text
  session_id uuid
  device text
  challenge text
  sealed bytea
  expires_at timestamp(3) with time zone not null
  constraint sign_in_ticket_pkey PRIMARY KEY (ticket_hash)
  constraint sign_in_ticket_purpose_check CHECK ((purpose = ANY (ARRAY['SIGN_IN'::text, 'PASSKEY'::text, 'ADD_TOTP'::text, 'ADD_PASSKEY'::text])))
  CREATE INDEX sign_in_ticket_end on sign_in_ticket USING btree (expires_at)
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
table user_account
  user_id uuid not null
  email text not null
  email_key text not null
  name text not null
  locale text
  timezone text
  password_hash text not null
  operator boolean not null default false
  last_seen_at timestamp(3) with time zone
  updated_at timestamp(3) with time zone not null
  approval_mail text not null default 'EACH'::text
  constraint user_account_approval_mail_check CHECK ((approval_mail = ANY (ARRAY['EACH'::text, 'HOURLY'::text, 'NEVER'::text])))
  constraint user_account_email_key_key UNIQUE (email_key)
  constraint user_account_pkey PRIMARY KEY (user_id)
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
function maintain_partition(of_table text, at timestamp with time zone) d86709842aee4f08b413aa27721bbaf1
function maintain_partitions() 7db48408f5b9507e42d51976f552e7dd
function partition_ranges(of_table text, at timestamp with time zone) 51313f0eba4a0b5db41a92f63a1e2fcc
function unpublished_batches(lanes smallint[], per_lane integer) d3aaa339721d2df9ea41ee33ed22b309
function uuid_floor(at timestamp with time zone) 0a56353cbfe56bfabbb06c7d18fd3637
