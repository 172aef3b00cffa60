import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { MessageIdentity, MessageState } from '../message/message.js';
import { counterChanges } from './feedback.js';
import type { Transition } from './feedback.js';

/** Where a message is found: ids are uuids, the month is YYYY-MM. */
export interface MessageKey {
  organizationId: string;
  messageId: string;
  period: string;
}

/** A message that something is reported of; ids as on the wire. */
export interface ReportedMessage extends MessageIdentity {
  key: MessageKey;
  state: MessageState;
  attempts: number;
  /** What was said of it last. */
  response: string | null;
}

interface Row {
  organization_id: string;
  message_id: string;
  month: string;
  kind: string;
  send_id: string | null;
  page_no: number | null;
  subscriber_id: string | null;
  campaign_id: string | null;
  campaign_name: string | null;
  subject: string;
  email: string;
  state: MessageState;
  attempts: number;
  response: string | null;
}

/** So much of a report is kept. */
export const reportLengthMax = 64 * 1024;

/** Messages that came back, or of which somebody tells; used inside one transaction. */
export class BounceRepository {
  constructor(private readonly sql: Sql) {}

  /** Locks a message. @returns null when there is none, or it never left */
  async findForUpdate({ organizationId, messageId, period }: MessageKey): Promise<ReportedMessage | null> {
    const rows: Row[] = await this.sql.query(
      `select m.organization_id, m.message_id, to_char(m.period, 'YYYY-MM') as month, m.kind, m.send_id, m.page_no, m.subscriber_id,
         s.campaign_id, s.campaign_name, m.subject, m.email, m.state, m.attempts, m.response
       from message m left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
       where m.period = $1 and m.organization_id = $2 and m.message_id = $3 and not m.simulated for no key update of m`,
      [`${period}-01`, organizationId, messageId],
    );
    const row = rows[0];
    if (!row) return null;
    // Tests of campaigns are nobody's mail.
    const subscriberId = row.kind === 'TEST' ? null : row.subscriber_id;
    return {
      key: { organizationId: row.organization_id, messageId: row.message_id, period: row.month },
      organizationId: wireId('org', row.organization_id),
      messageId: wireId('msg', row.message_id),
      sendId: row.send_id && wireId('send', row.send_id),
      pageNo: row.page_no,
      subscriberId: subscriberId && wireId('sub', subscriberId),
      campaignId: row.campaign_id && wireId('cmp', row.campaign_id),
      campaignName: row.campaign_name,
      subject: row.subject,
      email: row.email,
      state: row.state,
      attempts: row.attempts,
      response: row.response,
    };
  }

  /**
   * Finds a message by its id alone, as Message-IDs give it. Messages are filed by month and organization: the month is
   * that of the id or, for a send that began before, the one before it, and each organization of it is looked up.
   */
  async findKey(messageId: string): Promise<MessageKey | null> {
    const rows: { organization_id: string; month: string }[] = await this.sql.query(
      `with recursive month as (
         select date_trunc('month', to_timestamp(('x' || substr(replace($1::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date as day),
       period as (select day from month union select (day - interval '1 month')::date from month),
       owner as (
         select day, (select m.organization_id from message m where m.period = day order by m.organization_id limit 1) as id from period
         union all
         select o.day, (select m.organization_id from message m where m.period = o.day and m.organization_id > o.id order by m.organization_id limit 1)
         from owner o where o.id is not null)
       select m.organization_id, to_char(m.period, 'YYYY-MM') as month from owner o
       join message m on m.period = o.day and m.organization_id = o.id and m.message_id = $1::uuid limit 1`,
      [messageId],
    );
    return rows[0] ? { organizationId: rows[0].organization_id, messageId, period: rows[0].month } : null;
  }

  /** Writes what became of a message, with the counters of its page. */
  async update(
    message: ReportedMessage,
    transition: Transition,
    told: { status: string | null; reason: string | null },
  ): Promise<void> {
    const { organizationId, messageId, period } = message.key;
    await this.sql.query(
      `update message set state = $4, enhanced_code = coalesce($5, enhanced_code), response = coalesce($6, response),
         accepted_at = coalesce(accepted_at, clock_timestamp()),
         delivered_at = case when $4 in ('DELIVERED', 'COMPLAINED') then coalesce(delivered_at, clock_timestamp()) when $4 = 'BOUNCED' then null else delivered_at end
       where period = $1 and organization_id = $2 and message_id = $3`,
      [`${period}-01`, organizationId, messageId, transition.state, told.status, told.reason],
    );
    if (message.sendId === null || message.pageNo === null) return;
    const { sent, inDoubt, delivered, bounced } = counterChanges(transition);
    await this.sql.query(
      `update send_page set sent = sent + $4, in_doubt = in_doubt + $5, delivered = delivered + $6, bounced = bounced + $7
       where organization_id = $1 and send_id = $2 and page_no = $3`,
      [organizationId, uuidOf('send', message.sendId), message.pageNo, sent, inDoubt, delivered, bounced],
    );
  }

  /** Keeps a report for who wants to see why. @param raw its beginning is kept */
  async insertReport({ organizationId, messageId, period }: MessageKey, kind: string, raw: string): Promise<void> {
    await this.sql.query(
      `insert into bounce_report (organization_id, report_id, message_id, period, class, raw) values ($1, $2, $3, $4, $5, $6)`,
      [organizationId, newUuid(), messageId, `${period}-01`, kind, raw.replaceAll('\0', '').slice(0, reportLengthMax)],
    );
  }

  /** Forgets reports of more than 30 days ago, at most 10,000 at a time. @returns how many */
  async deleteOld(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with gone as (delete from bounce_report where report_id in (
         select report_id from bounce_report where report_id < uuid_floor(clock_timestamp() - interval '30 days') order by report_id limit 10000)
       returning 1) select count(*)::int as n from gone`,
    );
    return rows[0]!.n;
  }
}
