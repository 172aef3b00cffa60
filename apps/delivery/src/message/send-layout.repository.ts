import { isByPosition, uuidOf } from '#database';
import type { Sql } from '#database';
import type { MessageLayout } from './message.js';

export class SendLayoutRepository {
  constructor(private readonly sql: Sql) {}

  /** Finds the layout of a send's messages; 0 for an unknown send. Most ids of older sends say it without a statement. */
  async find(organizationId: string, sendId: string): Promise<MessageLayout> {
    const uuid = uuidOf('send', sendId);
    if (uuid === null || !isByPosition(uuid)) return 0;
    const rows: { layout: MessageLayout }[] = await this.sql.query(
      `select layout from send where organization_id = $1 and send_id = $2`,
      [uuidOf('org', organizationId), uuid],
    );
    return rows[0]?.layout ?? 0;
  }
}
