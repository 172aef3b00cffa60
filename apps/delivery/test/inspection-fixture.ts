import { newId, uuidOf, wireId } from '#database';
import type { Tenant } from '../../../test/harness/harness.js';
import { intoLayout } from '../../../test/harness/message-layouts.js';
import type { Layout } from '../../../test/harness/message-layouts.js';
import { people, SendFixture } from './send-fixture.js';
import type { Sending, StartedSend } from './send-fixture.js';

/** A message as a test stores it. */
export interface StoredMessage {
  kind?: string;
  state?: string;
  email?: string;
  subject?: string;
  code?: number;
  response?: string;
  skipReason?: string;
  attempts?: number;
  /** First day of the month, YYYY-MM-DD; this month by default. */
  period?: string;
  sendId?: string;
}

/** Sends without an engine, and messages of any kind. */
export class InspectionFixture {
  private constructor(
    readonly world: SendFixture,
    readonly tenant: Sending,
    readonly otherTenant: Sending,
  ) {}

  static async open(): Promise<InspectionFixture> {
    const world = await SendFixture.start();
    return new InspectionFixture(world, await world.organization(), await world.organization());
  }

  async close(): Promise<void> {
    await this.world.stop();
  }

  async data<D>(tool: string, input: object, tenant: Tenant = this.tenant): Promise<D> {
    return await this.world.tidings.data<D>(tool, input, tenant);
  }

  async refusal(tool: string, input: object, tenant: Tenant = this.tenant): Promise<string> {
    return await this.world.tidings.refusal(tool, input, tenant);
  }

  /** A send to three new subscribers that nothing works on. */
  async send(tenant: Sending = this.tenant): Promise<StartedSend> {
    const audience = await this.world.audience(tenant, people(3, `${newId('org').slice(-8)}.internal`));
    return await this.world.send(tenant, audience);
  }

  /**
   * Brings the stored messages of a send into a layout.
   * @returns the ids of its messages now, in the order of their addresses
   */
  async intoLayout(layout: Layout, sendId: string): Promise<string[]> {
    await intoLayout(this.world.database, layout, sendId);
    const rows: { message_id: string }[] = await this.world.database.query(
      `select message_id from any_message where send_id = $1 order by email`,
      [uuidOf('send', sendId)],
    );
    return rows.map((row) => wireId('msg', row.message_id));
  }

  /** Stores messages. @returns their ids, in the order of the list */
  async store(messages: readonly StoredMessage[], { organizationId }: Tenant = this.tenant): Promise<string[]> {
    const ids = messages.map(() => newId('msg'));
    for (const [n, message] of messages.entries()) {
      await this.world.database.query(
        `insert into message (organization_id, message_id, period, kind, send_id, subscriber_id, email, subject, state, code, response, skip_reason, attempts)
         values ($1, $2, coalesce($3::date, date_trunc('month', clock_timestamp() at time zone 'UTC')), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
        [
          ...[uuidOf('org', organizationId), uuidOf('msg', ids[n]), message.period, message.kind ?? 'TRANSACTIONAL'],
          ...[message.sendId && uuidOf('send', message.sendId), uuidOf('sub', newId('sub'))],
          ...[message.email ?? 'ada@people.internal', message.subject ?? 'Receipt', message.state ?? 'DELIVERED'],
          ...[message.code, message.response, message.skipReason, message.attempts ?? 0],
        ],
      );
    }
    return ids;
  }

  /** The first day of the month before, YYYY-MM-DD. */
  async monthBefore(): Promise<string> {
    const [row] = await this.world.database.query<[{ day: string }]>(
      `select (date_trunc('month', clock_timestamp() at time zone 'UTC') - interval '1 month')::date::text as day`,
    );
    return row.day;
  }

  /** Stores a report about a message. */
  async report(messageId: string, kind: string, raw: string): Promise<void> {
    await this.world.database.query(
      `insert into bounce_report (organization_id, report_id, message_id, class, raw) values ($1, $2, $3, $4, $5)`,
      [uuidOf('org', this.tenant.organizationId), uuidOf('evt', newId('evt')), uuidOf('msg', messageId), kind, raw],
    );
  }

  /** Stores the content of a message of this month. */
  async content(messageId: string, html: string): Promise<void> {
    await this.world.database.query(
      `insert into message_content (organization_id, message_id, period, html)
       select organization_id, message_id, period, $2 from message where message_id = $1`,
      [uuidOf('msg', messageId), html],
    );
  }
}
