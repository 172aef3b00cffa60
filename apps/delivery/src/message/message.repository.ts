import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ledgerRows } from './ledger-rows.js';
import { layoutOf } from './message-layout.repository.js';
import type { MessageState } from './message.js';
import { SendLayoutRepository } from './send-layout.repository.js';

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
    const uuid = uuidOf('msg', messageId);
    if (uuid === null || !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) return null;
    const isByPosition = layoutOf(uuid) === 1;
    const rows: { send_id: string; subscriber_id: string }[] = isByPosition
      ? await this.sql.query(
          `select send_of_message(message_id) as send_id, subscriber_id from campaign_message
           where organization_id = $1 and message_id = $2 and state <> 'K' and subscriber_id is not null`,
          [uuidOf('org', organizationId), uuid],
        )
      : await this.sql.query(
          `select send_id, subscriber_id from message where organization_id = $1 and message_id = $2 and period = $3
             and state <> 'SKIPPED' and send_id is not null and subscriber_id is not null`,
          [uuidOf('org', organizationId), uuid, `${month}-01`],
        );
    return rows[0]
      ? { sendId: wireId('send', rows[0].send_id), subscriberId: wireId('sub', rows[0].subscriber_id) }
      : null;
  }

  /**
   * Recipients without a delivery attempt so far have none. A page begins after the subscriber or, where messages have
   * ids by position, after the message that the cursor `after` names.
   */
  async listBySend(
    organizationId: string,
    sendId: string,
    page: { states?: string[] | undefined; after: string | null; limit: number },
  ): Promise<{ messages: ListedMessage[]; nextCursor: string | null }> {
    const keys = [uuidOf('org', organizationId), uuidOf('send', sendId)];
    const isByPosition = (await new SendLayoutRepository(this.sql).find(organizationId, sendId)) === 1;
    const rows: {
      message_id: string;
      subscriber_id: string | null;
      email: string;
      state: MessageState;
      skip_reason: string | null;
      attempts: number;
      response: string | null;
    }[] = await this.sql.query(isByPosition ? listByPositionSql : listSql, [
      ...keys,
      page.states,
      uuidOf(isByPosition ? 'msg' : 'sub', page.after),
      page.limit,
    ]);
    const messages = rows.map((row) => ({
      id: wireId('msg', row.message_id),
      subscriberId: row.subscriber_id && wireId('sub', row.subscriber_id),
      email: row.email,
      state: row.state,
      reason: row.skip_reason,
      attempts: row.attempts,
      response: row.response,
    }));
    const last = messages.length === page.limit ? messages.at(-1)! : null;
    return { messages, nextCursor: last && (isByPosition ? last.id : last.subscriberId) };
  }
}

const listedColumns = 'm.message_id, m.subscriber_id, m.email, m.state, m.skip_reason, m.attempts, m.response';
const listSql = `
  select ${listedColumns}
  from send s join message m on m.period = s.period and m.organization_id = s.organization_id and m.send_id = s.send_id
  where s.organization_id = $1 and s.send_id = $2 and ($3::text[] is null or m.state = any($3))
    and ($4::uuid is null or m.subscriber_id > $4) order by m.subscriber_id limit $5`;
const listByPositionSql = `
  select ${listedColumns} from ${ledgerRows} m
  where ($3::text[] is null or m.state = any($3)) and ($4::uuid is null or m.message_id > $4)
  order by m.message_id limit $5`;
