import { prepared, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { traceparent } from '#observability';
import { takeGuardSql } from '../../limits/recipient-guard.repository.js';
import type { GuardedMailbox } from '../../message/address-hash.js';
import { subjectColumns, subjectOf } from '../../message/identity.repository.js';
import type { SubjectRow } from '../../message/identity.repository.js';
import type { MessageState } from '../../message/message.js';
import { mailParameters, mailOfSubscriber } from '../../message/subscriber-mail.repository.js';
import type { SubscriberMail } from '../../message/subscriber-mail.repository.js';
import { statesOf, statusOf } from './subscriber-email.js';
import type { EmailStatus } from './subscriber-email.js';

/** One copy of an email, on its way to one recipient; message ids are uuids. */
export interface EmailCopy {
  messageId: string;
  subscriberId: string;
  email: string;
  simulated: boolean;
  /** What the recipient guard counts; null for a test address. */
  mailbox: GuardedMailbox | null;
  from: string;
  to: string;
}

export interface AcceptedEmail {
  kind: 'TRANSACTIONAL' | 'SMTP';
  organizationId: string;
  /** YYYY-MM. */
  month: string;
  subject: string;
  tags: readonly EmailTag[];
  smtpUtf8: boolean;
  /** As in a stored message. */
  signingDomain: string;
  html: string | null;
  text: string | null;
  raw: Buffer;
  copies: readonly EmailCopy[];
}

export interface EmailTag {
  name: string;
  value: string;
}

export interface SubscriberEmail {
  id: string;
  campaignId: string | null;
  campaignName: string | null;
  subject: string;
  status: EmailStatus;
  simulated: boolean;
  tags: EmailTag[];
  sentAt: string | null;
  deliveredAt: string | null;
  openedAt: string | null;
  clickedAt: string | null;
}

interface Row extends SubjectRow {
  message_id: string;
  campaign_id: string | null;
  campaign_name: string | null;
  email: string;
  state: MessageState;
  simulated: boolean;
  tags: EmailTag[] | null;
  accepted_at: Date | null;
  delivered_at: Date | null;
  first_opened_at: Date | null;
  first_clicked_at: Date | null;
}

export class EmailRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Stores every copy of an email, due at once and counted by the recipient guard.
   * @returns the mailboxes that the guard refuses; then nothing was stored, and the caller undoes the transaction, so that
   * the others are not counted
   */
  async insert(email: AcceptedEmail): Promise<GuardedMailbox[]> {
    const { copies, smtpUtf8, signingDomain } = email;
    const trace = traceparent();
    const rows: GuardedMailbox[] = await this.sql.query(insertSql, [
      uuidOf('org', email.organizationId),
      `${email.month}-01`,
      copies.map(({ messageId }) => messageId),
      copies.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
      copies.map((copy) => copy.email),
      copies.map(({ simulated }) => simulated),
      copies.map(({ mailbox }) => mailbox?.key ?? null),
      copies.map(({ mailbox }) => mailbox?.hash ?? null),
      copies.map(({ from, to }) =>
        JSON.stringify({ from, to, smtpUtf8, signingDomain, counted: true, traceparent: trace }),
      ),
      email.subject,
      email.tags.length > 0 ? JSON.stringify(email.tags) : null,
      email.raw,
      email.kind,
      email.html,
      email.text,
    ]);
    return rows;
  }

  /** Lists the newest emails of a subscriber, of one status or of all, without skipped ones. */
  async listBySubscriber(
    organizationId: string,
    mail: SubscriberMail,
    { status, limit }: { status: EmailStatus | null; limit: number },
  ): Promise<SubscriberEmail[]> {
    const rows: Row[] = await this.sql.query(
      `select m.message_id, s.campaign_id, s.campaign_name, ${subjectColumns}, m.email, m.state, m.simulated, m.tags, m.accepted_at,
         m.delivered_at, m.first_opened_at, m.first_clicked_at
       from (${mailOfSubscriber('m.state = any($5)', 'm.message_id desc limit $6')}) m
       left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
       order by m.message_id desc limit $6`,
      [...mailParameters(organizationId, mail), status ? statesOf[status] : Object.values(statesOf).flat(), limit],
    );
    return rows.map(emailOf);
  }
}

const emailOf = (row: Row): SubscriberEmail => ({
  id: wireId('msg', row.message_id),
  campaignId: row.campaign_id && wireId('cmp', row.campaign_id),
  campaignName: row.campaign_name,
  subject: subjectOf(row),
  status: statusOf(row.state),
  simulated: row.simulated,
  tags: row.tags ?? [],
  sentAt: row.accepted_at?.toISOString() ?? null,
  deliveredAt: row.delivered_at?.toISOString() ?? null,
  openedAt: row.first_opened_at?.toISOString() ?? null,
  clickedAt: row.first_clicked_at?.toISOString() ?? null,
});

const insertSql = prepared(
  'store email',
  `
  with copy as materialized (
    select * from unnest($3::uuid[], $4::uuid[], $5::text[], $6::bool[], $7::text[], $8::bigint[], $9::jsonb[])
      c(message_id, subscriber_id, email, simulated, mailbox, hash, headers)),
  taken as (${takeGuardSql('select $1::uuid as organization_id, mailbox, hash from copy where mailbox is not null')}),
  refused as materialized (
    select mailbox, hash from copy where mailbox is not null and mailbox not in (select mailbox from taken)),
  stored as (
    insert into message (organization_id, message_id, period, kind, subscriber_id, email, subject, state, simulated, due_at, tags)
    select $1, message_id, $2::date, $13, subscriber_id, email, $10, 'QUEUED', simulated, clock_timestamp(), $11
    from copy where not exists (select from refused)),
  kept as (
    insert into message_content (organization_id, message_id, period, headers, raw, html, text)
    select $1, message_id, $2::date, headers, $12::bytea, $14, $15 from copy where not exists (select from refused))
  select mailbox as key, hash from refused`,
);
