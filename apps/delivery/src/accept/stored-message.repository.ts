import { uuidOf } from '#database';
import type { Sql } from '#database';
import { traceparent } from '#observability';
import { guardOpensSql, takeGuardSql } from '../limits/recipient-guard.repository.js';
import type { GuardedMailbox } from '../message/address-hash.js';
import type { StoredMessage } from '../message/stored-message.js';

/** A message that was accepted; ids are uuids but for the organization and the subscriber. */
export interface AcceptedMessage extends StoredMessage {
  organizationId: string;
  messageId: string;
  month: string;
  sourceKey: string;
  kind: 'TRANSACTIONAL' | 'TEST';
  subscriberId: string | null;
  email: string;
  subject: string;
  simulated: boolean;
  /** What the recipient guard counts now; null when it counts at the attempt, or not at all. */
  guarded: GuardedMailbox | null;
}

export class StoredMessageRepository {
  constructor(private readonly sql: Sql) {}

  async findBySource(organizationId: string, sourceKey: string): Promise<string | null> {
    const rows: { message_id: string }[] = await this.sql.query(
      `select message_id from message_source where organization_id = $1 and source_key = $2`,
      [uuidOf('org', organizationId), sourceKey],
    );
    return rows[0]?.message_id ?? null;
  }

  /**
   * Stores a message, in one statement. @returns false when its source has a message already, or the guard refuses it
   */
  async insert(message: AcceptedMessage): Promise<boolean> {
    const { raw, from, to, smtpUtf8, signingDomain } = message;
    const rows: unknown[] = await this.sql.query(
      `with taken as (${takeGuardSql('select $1::uuid as organization_id, $10::text as mailbox, $13::bigint as hash where $10::text is not null')}),
       source as (
         insert into message_source (organization_id, source_key, message_id, period)
         select $1, $2, $3, $12::date
         where $10::text is null or exists (select from taken)
         on conflict do nothing returning organization_id, message_id, period),
       stored as (
         insert into message (organization_id, message_id, period, kind, subscriber_id, email, subject, source_key, state, simulated, due_at)
         select organization_id, message_id, period, $11, $4, $5, $6, $2, 'QUEUED', $7, clock_timestamp() from source),
       dated as (
         insert into test_message (organization_id, message_id, period)
         select organization_id, message_id, period from source where $4::uuid is null)
       insert into message_content (organization_id, message_id, period, headers, raw)
       select organization_id, message_id, period, $8, $9 from source returning 1`,
      [
        uuidOf('org', message.organizationId),
        message.sourceKey,
        message.messageId,
        uuidOf('sub', message.subscriberId),
        message.email,
        message.subject,
        message.simulated,
        JSON.stringify({ from, to, smtpUtf8, signingDomain, traceparent: traceparent() }),
        raw,
        message.guarded?.key ?? null,
        message.kind,
        `${message.month}-01`,
        message.guarded?.hash ?? null,
      ],
    );
    return rows.length > 0;
  }

  async findGuardOpening(organizationId: string, { key, hash }: GuardedMailbox): Promise<Date> {
    const rows: { at: Date }[] = await this.sql.query(`select ${guardOpensSql('$1', '$2', '$3')} as at`, [
      uuidOf('org', organizationId),
      key,
      hash,
    ]);
    return rows[0]!.at;
  }
}
