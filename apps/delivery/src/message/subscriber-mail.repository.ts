import { uuidOf } from '#database';
import { messagesOf } from './ledger-rows.js';
import type { MessageLayout } from './message.js';

/** By what the messages to a subscriber are found: the ledger has no index of subscribers. */
export interface SubscriberMail {
  /** As on the wire. */
  subscriberId: string;
  /** The ledger's hash of the present address, which finds every message that went there; null without an address. */
  mailboxHash: string | null;
  /** Uuids of messages by position that the history names: they may have gone to an earlier address. */
  messageIds: readonly string[];
}

/** The first parameters of `mailOfSubscriber`. */
export const mailParameters = (organizationId: string, mail: SubscriberMail): unknown[] => [
  uuidOf('org', organizationId),
  uuidOf('sub', mail.subscriberId),
  mail.mailboxHash,
  mail.messageIds,
];

const columns = `m.layout, m.organization_id, m.message_id, m.kind, m.send_id, m.email, m.subject, m.subject_values, m.state, m.skip_reason,
  m.simulated, m.response, m.tags, m.accepted_at, m.delivered_at, m.first_opened_at, m.first_clicked_at, m.opens, m.clicks`;

/**
 * SQL: the messages to a subscriber; `$1` to `$4` are `mailParameters`.
 * @param where condition on `m`, a row of either layout
 * @param page order and limit, which each part of the union gets, so that none reads more than a page
 */
export function mailOfSubscriber(where: string, page: string): string {
  const part = (layout: MessageLayout, found: string) => `
    (select ${columns} from ${messagesOf[layout]} m
     where m.organization_id = $1 and m.subscriber_id = $2 and ${found} and ${where} order by ${page})`;
  return [
    part(0, 'true'),
    part(1, 'm.mailbox_hash = $3::bigint'),
    part(1, 'm.message_id = any($4::uuid[]) and m.mailbox_hash is distinct from $3::bigint'),
  ].join(' union all ');
}
