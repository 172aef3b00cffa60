import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Views by which readers find the messages of both layouts. */
export class CreateAnyMessage1700000001340 implements MigrationInterface {
  name = 'CreateAnyMessage1700000001340';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // The send of a message with an id by position, its chunk, and its place in the chunk.
  `create function send_of_message(id uuid) returns uuid language sql immutable as $$
    select (left(id::text, 28) || '00000000')::uuid
  $$`,
  `create function chunk_of_message(id uuid) returns int language sql immutable as $$
    select ('x' || right(id::text, 8))::bit(32)::int >> 10
  $$`,
  `create function place_of_message(id uuid) returns int language sql immutable as $$
    select ('x' || right(id::text, 8))::bit(32)::int & 1023
  $$`,
  // The id of a message by its send, chunk, and place in the chunk.
  `create function message_at(send uuid, chunk int, place int) returns uuid language sql immutable as $$
    select (left(send::text, 28) || lpad(to_hex(chunk * 1024 + place), 8, '0'))::uuid
  $$`,
  // The last id of the messages of a send with ids by position.
  `create function last_message_of(send uuid) returns uuid language sql immutable as $$
    select (left(send::text, 28) || '7fffffff')::uuid
  $$`,
  // The first day of the month (UTC) in which a UUIDv7 was made.
  `create function month_of_uuid(id uuid) returns date language sql immutable as $$
    select date_trunc('month', to_timestamp(('x' || left(id::text, 8) || substr(id::text, 10, 4))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date
  $$`,

  // The subject of the template, for messages that keep only its values. Null: read it from the template.
  `alter table send add column subject jsonb`,

  // By what the ledger's messages to a deleted subscriber are found: the hash of the last address, and the history.
  `alter table erasure add column mailbox_hash bigint, add column message_ids uuid[] not null default '{}'`,

  // The ledger in the columns of message. Its only indexes are those of message_id and mailbox_hash. Codes as in
  // message/ledger-codes.ts; letter is the stored state, by which rows are found faster than by its name.
  `create view ledger_message as
    select 1::smallint as layout, month_of_uuid(m.message_id) as period, m.organization_id, m.message_id, 'CAMPAIGN'::text as kind,
      send_of_message(m.message_id) as send_id, chunk_of_message(m.message_id) as page_no, m.subscriber_id, m.email,
      null::text as subject, m.subject_values,
      case when q.state = 'ATTEMPTING' then 'HANDING_OVER' else case m.state when 'Q' then 'QUEUED' when 'S' then 'SENT'
        when 'D' then 'DELIVERED' when 'B' then 'BOUNCED' when 'C' then 'COMPLAINED' when 'W' then 'DEFERRED' when 'F' then 'FAILED'
        when 'K' then 'SKIPPED' when 'I' then 'IN_DOUBT' end end as state,
      m.state as letter, m.skip_reason, m.simulated, coalesce(q.attempts, m.attempts) as attempts, q.due_at, m.code,
      case when m.code is not null then substring(m.response from '^(\\d\\.\\d{1,3}\\.\\d{1,3})\\M') end as enhanced_code,
      nullif(concat_ws(' ', m.code, m.response), '') as response,
      case when m.state in ('S', 'D', 'B', 'C') then m.attempted_at end as accepted_at,
      case when m.state = 'D' then coalesce(m.delivered_at, m.attempted_at) else m.delivered_at end as delivered_at,
      m.first_opened_at, m.first_clicked_at, m.opens, m.clicks, null::jsonb as tags, m.address_hash, m.mailbox_hash
    from campaign_message m left join message_queue q on q.message_id = m.message_id`,

  // Both layouts, for statements of people and tests: the planner opens the months of both tables.
  `create view any_message as
    select 0::smallint as layout, period, organization_id, message_id, kind, send_id, page_no, subscriber_id, email, subject,
      null::jsonb as subject_values, state, skip_reason, simulated, attempts, due_at, code, enhanced_code, response, accepted_at,
      delivered_at, first_opened_at, first_clicked_at, opens, clicks, tags, address_hash, null::bigint as mailbox_hash
    from message
    union all
    select layout, period, organization_id, message_id, kind, send_id, page_no, subscriber_id, email, subject, subject_values, state,
      skip_reason, simulated, attempts, due_at, code, enhanced_code, response, accepted_at, delivered_at, first_opened_at,
      first_clicked_at, opens, clicks, tags, address_hash, mailbox_hash
    from ledger_message`,
];
