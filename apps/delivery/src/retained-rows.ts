import type { RetainedRows } from '#database';

/** What of an ended send stays: its links, since clicks name them by number, and its subject. */
const kept = ['format', 'links', 'subject', 'variables'].map((key) => `'${key}', template -> '${key}'`).join(', ');

/** What delivery deletes when it is old: one line for each table. Workflow emails keep their content while they send. */
export const retainedRows: readonly RetainedRows[] = [
  {
    data: 'messages',
    table: 'message_link',
    key: 'period, organization_id, message_id, link_number',
    expired: 'organization_id = $1 and period < $2::timestamptz::date',
    dropped: true,
  },
  {
    data: 'messages',
    table: 'message',
    key: 'period, organization_id, message_id',
    expired: 'organization_id = $1 and period < $2::timestamptz::date and due_at is null',
    dropped: true,
  },
  {
    data: 'messages',
    table: 'campaign_message',
    key: 'message_id',
    expired: `organization_id = $1 and message_id in (
      select m.message_id from send s join campaign_message m on m.message_id between s.send_id and (left(s.send_id::text, 28) || 'ffffffff')::uuid
      where s.organization_id = $1 and s.layout = 1 and s.send_id < uuid_floor($2)
        and not exists (select from message_queue q where q.message_id = m.message_id))`,
    dropped: true,
  },
  {
    data: 'onlineVersions',
    table: 'send',
    key: 'organization_id, send_id',
    expired: `organization_id = $1 and send_id < uuid_floor($2) and finished_at < $2 and pages > 0 and not template ? 'expired'`,
    set: `template = jsonb_build_object(${kept}, 'expired', true)`,
  },
  {
    data: 'messageSources',
    table: 'message_source',
    key: 'organization_id, source_key',
    expired: 'organization_id = $1 and period < $2::timestamptz::date',
  },
];
