import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { MessageState } from './message.js';

export interface ListedMessage {
  id: string;
  subscriberId: string | null;
  email: string;
  state: MessageState;
  reason: string | null;
  attempts: number;
  response: string | null;
}

export class MessageRepository {
  constructor(private readonly sql: Sql) {}

  /** Whose message it is, for the online version. @returns null when there is none, or it was skipped */
  async findAttempted(
    organizationId: string,
    messageId: string,
    month: string,
  ): Promise<{ sendId: string; subscriberId: string } | null> {
    if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) return null;
    const rows: { send_id: string; subscriber_id: string }[] = await this.sql.query(
      `select send_id, subscriber_id from message where period = $1 and organization_id = $2 and message_id = $3
         and state <> 'SKIPPED' and send_id is not null and subscriber_id is not null`,
      [`${month}-01`, uuidOf('org', organizationId), uuidOf('msg', messageId)],
    );
    return rows[0]
      ? { sendId: wireId('send', rows[0].send_id), subscriberId: wireId('sub', rows[0].subscriber_id) }
      : null;
  }

  /** Recipients without a delivery attempt so far have none. */
  async listBySend(
    organizationId: string,
    sendId: string,
    page: { states?: string[] | undefined; after: string | null; limit: number },
  ): Promise<{ messages: ListedMessage[]; nextCursor: string | null }> {
    const rows: {
      message_id: string;
      subscriber_id: string | null;
      email: string;
      state: MessageState;
      skip_reason: string | null;
      attempts: number;
      response: string | null;
    }[] = await this.sql.query(
      `select m.message_id, m.subscriber_id, m.email, m.state, m.skip_reason, m.attempts, m.response
       from send s join message m on m.period = s.period and m.organization_id = s.organization_id and m.send_id = s.send_id
       where s.organization_id = $1 and s.send_id = $2 and ($3::text[] is null or m.state = any($3))
         and ($4::uuid is null or m.subscriber_id > $4) order by m.subscriber_id limit $5`,
      [uuidOf('org', organizationId), uuidOf('send', sendId), page.states, uuidOf('sub', page.after), page.limit],
    );
    const messages = rows.map((row) => ({
      id: wireId('msg', row.message_id),
      subscriberId: row.subscriber_id && wireId('sub', row.subscriber_id),
      email: row.email,
      state: row.state,
      reason: row.skip_reason,
      attempts: row.attempts,
      response: row.response,
    }));
    return { messages, nextCursor: messages.length === page.limit ? messages.at(-1)!.subscriberId : null };
  }
}
