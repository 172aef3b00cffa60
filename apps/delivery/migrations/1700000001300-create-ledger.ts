import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ledger of campaign messages with ids by position, beside the tables of older sends. */
export class CreateLedger1700000001300 implements MigrationInterface {
  name = 'CreateLedger1700000001300';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // 0: its messages are rows of `message`, marked and updated. 1: rows of `campaign_message`, inserted with the outcome.
  `alter table send add column layout smallint not null default 0, add column due_at timestamptz(3)`,
  // The ids of its messages are its own id and a position, so two sends of layout 1 may not share the upper bits.
  `create unique index send_by_position on send (send_id) where layout = 1`,
  // settled_at: when results of the chunk were recorded last. due_at: not claimed before; null: at once.
  `alter table send_page add column due_at timestamptz(3), add column settled_at timestamptz(3)`,

  // What happened to each message: one row, inserted with the first outcome. No row and no bit in send_attempt: not
  // attempted yet. Widths first, so that a row has no gaps. State and kind: message/ledger-codes.ts.
  `create table campaign_message (
    message_id uuid not null,
    -- Null: never attempted.
    attempted_at timestamptz(3),
    -- When the guard counted it; null: at attempted_at.
    counted_at timestamptz(3),
    mailbox_hash bigint,
    organization_id uuid not null,
    subscriber_id uuid,
    relay_id smallint,
    code smallint,
    attempts smallint not null default 0,
    state "char" not null,
    kind "char" not null,
    simulated boolean not null default false,
    email text not null,
    -- Without the code.
    response text,
    -- Null: the subject of the send has no variable.
    subject_values jsonb,
    variant smallint,
    provider_id text,
    skip_reason text,
    -- Null where the state is DELIVERED: at attempted_at.
    delivered_at timestamptz(3),
    first_opened_at timestamptz(3),
    first_clicked_at timestamptz(3),
    opens int not null default 0,
    clicks int not null default 0,
    address_hash text,
    primary key (message_id),
    check (state in ('Q', 'S', 'D', 'B', 'C', 'W', 'F', 'K', 'I'))
  ) partition by range (message_id)`,
  `create index campaign_message_mailbox on campaign_message (mailbox_hash, message_id)`,

  // The attempt marks of one lease of a chunk by one relay: bit p is set before the message of recipient p may reach the
  // relay. step counts the commits, so that a repeated one is recognized.
  `create table send_attempt (
    organization_id uuid not null,
    send_id uuid not null,
    chunk_no int not null,
    fence bigint not null,
    relay_id smallint not null,
    step int not null,
    attempted bit(512) not null,
    -- Mailbox hashes of marks without an outcome, for the recipient guard.
    pending bigint[] not null default '{}',
    primary key (organization_id, send_id, chunk_no, fence, relay_id)
  ) with (fillfactor = 50)`,
  `create index send_attempt_pending on send_attempt (organization_id) where pending <> '{}'`,

  // What is left to do for messages that have a row.
  `create table message_queue (
    message_id uuid primary key,
    organization_id uuid not null,
    kind "char" not null,
    send_id uuid,
    relay_id smallint,
    due_at timestamptz(3) not null,
    attempts smallint not null default 0,
    owner uuid,
    fence bigint not null default 0,
    until timestamptz(3),
    state text not null check (state in ('QUEUED', 'DEFERRED', 'ATTEMPTING'))
  ) with (fillfactor = 70)`,
  `create index message_queue_due on message_queue (kind, due_at)`,
  // Where more is due than can be sent, organizations have their turns.
  `create index message_queue_due_of_organization on message_queue (kind, organization_id, due_at)`,
  `create index message_queue_owned on message_queue (until) where owner is not null`,

  `alter table partitioned drop constraint partitioned_kind_check,
     add constraint partitioned_kind_check check (kind in ('day-uuid', 'month-uuid', 'month-date', 'month-timestamp'))`,
  `insert into partitioned (table_name, kind, storage, data, keep_while)
   values ('campaign_message', 'month-uuid', 'fillfactor = 95', 'messages', 'message_id in (select q.message_id from message_queue q)')`,
  // As maintain_partitions makes them, which may not know this kind yet.
  `do $$
  declare
    month timestamp;
  begin
    for n in -1 .. 2 loop
      month := date_trunc('month', clock_timestamp() at time zone 'UTC') + make_interval(months => n);
      execute format('create table campaign_message_%s partition of campaign_message for values from (%L) to (%L) with (fillfactor = 95)',
        to_char(month, 'YYYYMM'), uuid_floor(month at time zone 'UTC'), uuid_floor((month + interval '1 month') at time zone 'UTC'));
    end loop;
  end $$`,
];
