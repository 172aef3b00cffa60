import { uuidOf } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import { rangeOf } from './id-range.js';
import { layoutOf } from './message-layout.repository.js';

/** Ids are uuids. */
export interface MessageName {
  organizationId: string;
  messageId: string;
}

export class AttemptMarkRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Lists the messages that are being sent: an attempt mark without a row, which comes with the outcome.
   * @returns their ids
   */
  async listOpen(messages: readonly MessageName[]): Promise<Set<string>> {
    const named = messages.filter(({ messageId }) => layoutOf(messageId) === 1);
    if (named.length === 0) return new Set();
    const rows: { message_id: string }[] = await this.sql.query(
      `select distinct n.message_id from unnest($1::uuid[], $2::uuid[]) n(organization_id, message_id)
       join send_attempt a on a.organization_id = n.organization_id and a.send_id = send_of_message(n.message_id)
         and a.chunk_no = chunk_of_message(n.message_id)
       where place_of_message(n.message_id) < 512 and get_bit(a.attempted, least(place_of_message(n.message_id), 511)) = 1
         and not exists (select from campaign_message m where m.message_id = n.message_id and m.message_id between $3 and $4)`,
      [
        named.map(({ organizationId }) => organizationId),
        named.map(({ messageId }) => messageId),
        ...rangeOf(named.map(({ messageId }) => messageId)),
      ],
    );
    return new Set(rows.map((row) => row.message_id));
  }

  /** Whether a message is being sent; false for an id that is none. Ids are as on the wire. */
  async isOpen(organizationId: string, messageId: string): Promise<boolean> {
    const [organization, message] = [uuidOf('org', organizationId), uuidOf('msg', messageId)];
    if (organization === null || message === null) return false;
    return (await this.listOpen([{ organizationId: organization, messageId: message }])).has(message);
  }

  /**
   * Reads a message that may be being sent; ids are as on the wire.
   * @param read reads its row, null without one
   * @throws ToolError MESSAGE_IN_PROGRESS before the outcome of its attempt is recorded
   */
  async find<T>(organizationId: string, messageId: string, read: () => Promise<T | null>): Promise<T | null> {
    const found = await read();
    if (found || layoutOf(uuidOf('msg', messageId) ?? '') === 0) return found;
    if (await this.isOpen(organizationId, messageId)) throw new ToolError('MESSAGE_IN_PROGRESS', { id: messageId });
    // The outcome may have been committed between the two statements.
    return await read();
  }
}
