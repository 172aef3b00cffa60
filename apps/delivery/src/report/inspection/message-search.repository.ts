import type { Data, deliveryInspectionTools, ExplainedMessage, RecipientStatus } from '#contracts';
import { createdAtOf, lowestUuidAt, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { subjectColumns, subjectOf } from '../../message/identity.repository.js';
import type { SubjectRow } from '../../message/identity.repository.js';
import { messagesOf } from '../../message/ledger-rows.js';
import { SendLayoutRepository } from '../../message/send-layout.repository.js';
import { layoutOf } from '../../message/message-layout.repository.js';
import type { MessageLayout, MessageState } from '../../message/message.js';
import type { SubscriberMail } from '../../message/subscriber-mail.repository.js';
import { canRetry, reasonOf, statesOf, statusOf } from '../recipient/recipient.js';
import { messageCursor } from './message-cursor.js';
import type { MessagePlace } from './message-cursor.js';

type Tools = (typeof deliveryInspectionTools)['calls'];
export type ShownMessage = Data<Tools['get_message']>['message'];

export interface MessageSearch {
  query: string | undefined;
  status: RecipientStatus | undefined;
  campaignId: string | undefined;
  /** Both bounds of the creation are inclusive. */
  from: Date | null;
  to: Date | null;
  after: MessagePlace | null;
  limit: number;
}

export interface StoredOutcome {
  place: MessagePlace;
  shown: ShownMessage;
  code: number | null;
  enhancedCode: string | null;
}

interface Row extends SubjectRow {
  layout: MessageLayout;
  message_id: string;
  period: string;
  kind: ShownMessage['kind'];
  simulated: boolean;
  subscriber_id: string | null;
  campaign_id: string | null;
  campaign_name: string | null;
  email: string;
  state: MessageState;
  skip_reason: string | null;
  code: number | null;
  enhanced_code: string | null;
  response: string | null;
  attempts: number;
  due_at: Date | null;
  accepted_at: Date | null;
  delivered_at: Date | null;
  first_opened_at: Date | null;
  first_clicked_at: Date | null;
}

const columns = `m.layout, m.message_id, m.period::text as period, m.kind, m.simulated, m.subscriber_id, s.campaign_id, s.campaign_name, m.email, ${subjectColumns}, m.state, m.skip_reason, m.code,
  m.enhanced_code, m.response, m.attempts, m.due_at, m.accepted_at, m.delivered_at, m.first_opened_at, m.first_clicked_at`;

/** A message may belong to a send that began this many months before; a send can be paused for long. */
const monthsBack = 24;

/** Rows that are compared with a search at a time, and in one call. */
const rowsPerBatch = 5_000;
const comparedMax = 100_000;
const noCampaign = '00000000-0000-0000-0000-000000000000';

const batchColumns = `m.layout, m.period, m.organization_id, m.message_id, m.kind, m.send_id, m.simulated, m.subscriber_id, m.email, m.subject,
  m.subject_values, m.state, m.skip_reason, m.code, m.enhanced_code, m.response, m.attempts, m.due_at, m.accepted_at, m.delivered_at,
  m.first_opened_at, m.first_clicked_at`;
/** SQL: messages of the organization `$1` that were made from `$8` on and before `$9`. */
const createdIn = `m.organization_id = $1 and ($8::uuid is null or m.message_id >= $8) and ($9::uuid is null or m.message_id < $9)`;

/**
 * SQL: the matching messages of the next `$4` rows after `$2`, `$3`, and the last of these rows if there may be more. Rows
 * outside of the ids `$8` to `$9`, which begin with the time of creation, are not read.
 * Ordered by month first, so that every partition is read in the order of its key. Messages by position are read send by
 * send; their month is that of the id, so that those after the cursor are below one id, `$10`. Of them, `matches` does
 * not compare a subject with values.
 */
const batchSql = `
  with batch as materialized (
    (select ${batchColumns} from ${messagesOf[0]} m where ${createdIn}
       and ($2::date is null or m.period <= $2 and (m.period < $2 or m.message_id < $3::uuid))
     order by m.period desc, m.message_id desc limit $4)
    union all
    (select m.* from send s cross join lateral (
       select ${batchColumns} from ${messagesOf[1]} m where ${createdIn} and m.message_id between s.send_id and last_message_of(s.send_id)
         and ($10::uuid is null or m.message_id < $10)
       order by m.message_id desc limit $4) m
     where s.organization_id = $1 and s.layout = 1 and ($8::uuid is null or s.send_id >= $8) and ($9::uuid is null or s.send_id < $9)
       and ($10::uuid is null or s.send_id < $10)
     order by s.send_id desc, m.message_id desc limit $4)
    order by period desc, message_id desc limit $4),
  compared as (
    select m.*, row_number() over (order by m.period desc, m.message_id desc) = $4 as is_last,
      ($5::text[] is null or m.state = any($5)) and ($6::uuid is null or m.send_id in (
        select send_id from send where organization_id = $1 and campaign_id = $6))
      and ($7::text is null or position(lower($7) in lower(m.email)) > 0 or m.layout = 1
        or position(lower($7) in lower(m.subject)) > 0) as matches
    from batch m)
  select ${columns}, coalesce(m.matches, false) as matches, m.is_last from compared m
  left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
  where m.matches or m.is_last order by m.period desc, m.message_id desc`;

/** The month (YYYY-MM-01) after another one. */
const monthAfter = (day: string): Date => new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 1));

/** The id below which messages by position come after a place in the list. */
function idAfter({ period, uuid }: MessagePlace): string {
  const end = lowestUuidAt(monthAfter(period));
  return uuid < end ? uuid : end;
}

/** Whether address or subject of a message have a text in them, without case. */
const hasText = (row: Row, text: string): boolean =>
  [row.email, subjectOf(row)].some((one) => one.toLowerCase().includes(text.toLowerCase()));

export class MessageSearchRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Partitions are months: that of the message's id, or that of the send, which began earlier.
   * @returns null for an unknown, malformed or another organization's id
   */
  async find(organizationId: string, messageId: string): Promise<ExplainedMessage | null> {
    const row = await this.#findRow(organizationId, messageId);
    return row && messageOf(row);
  }

  async #findRow(organizationId: string, messageId: string): Promise<Row | null> {
    const uuid = uuidOf('msg', messageId);
    if (uuid === null) return null;
    const created = createdAtOf(uuid);
    const periods = Array.from({ length: monthsBack + 1 }, (_, back) =>
      new Date(Date.UTC(created.getUTCFullYear(), created.getUTCMonth() - back, 1)).toISOString().slice(0, 10),
    );
    const rows: Row[] = await this.sql.query(
      `select ${columns} from ${messagesOf[layoutOf(uuid)]} m left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
       where m.organization_id = $1 and m.message_id = $2 and m.period = any($3::date[])`,
      [uuidOf('org', organizationId), uuid, periods],
    );
    return rows[0] ?? null;
  }

  /**
   * Lists messages, newest first. Rows are read in batches up to a bound, so that a search without matches ends;
   * nextCursor then names the last row that was compared.
   */
  async list(
    organizationId: string,
    { query, status, campaignId, from, to, after, limit }: MessageSearch,
  ): Promise<{ messages: ShownMessage[]; nextCursor: string | null }> {
    const isFiltered = query !== undefined || status !== undefined || campaignId !== undefined;
    const batch = isFiltered ? rowsPerBatch : limit + 1;
    const text = query?.replaceAll('\0', '');
    const found: Row[] = [];
    let last = after;
    let more = true;
    for (let compared = 0; more && found.length <= limit && compared < comparedMax; compared += batch) {
      const rows: (Row & { matches: boolean; is_last: boolean })[] = await this.sql.query(batchSql, [
        uuidOf('org', organizationId),
        last?.period ?? null,
        last?.uuid ?? null,
        batch,
        status === undefined ? null : statesOf[status],
        campaignId === undefined ? null : (uuidOf('cmp', campaignId) ?? noCampaign),
        text ?? null,
        from && lowestUuidAt(from),
        to && lowestUuidAt(new Date(to.getTime() + 1)),
        last && idAfter(last),
      ]);
      found.push(
        ...rows.filter((row) => row.matches && (text === undefined || row.layout === 0 || hasText(row, text))),
      );
      const end = rows.find((row) => row.is_last);
      more = end !== undefined;
      if (end) last = { period: end.period, uuid: end.message_id };
    }
    const shown = found.slice(0, limit);
    const next = found.length > limit ? placeOf(shown.at(-1)!) : more ? last : null;
    return { messages: shown.map((row) => storedOf(row).shown), nextCursor: next && messageCursor(next) };
  }

  async findStored(organizationId: string, messageId: string): Promise<StoredOutcome | null> {
    const row = await this.#findRow(organizationId, messageId);
    return row && storedOf(row);
  }

  async listReplies(
    organizationId: string,
    { place, shown, code, enhancedCode }: StoredOutcome,
  ): Promise<Data<Tools['get_message']>['replies']> {
    const reports: { report_id: string; class: string; raw: string }[] = await this.sql.query(
      `select report_id, class, raw from bounce_report where organization_id = $1 and message_id = $2 order by report_id limit 20`,
      [uuidOf('org', organizationId), place.uuid],
    );
    const reply =
      shown.response === null ? [] : [{ kind: 'REPLY', at: shown.sentAt, code, enhancedCode, text: shown.response }];
    return [
      ...reply,
      ...reports.map((report) => ({
        kind: report.class,
        at: createdAtOf(report.report_id).toISOString(),
        code: null,
        enhancedCode: null,
        text: report.raw,
      })),
    ];
  }

  /** Finds the stored content of a message. @returns null for messages that are rendered at the attempt, and after 30 days */
  async findContent(
    organizationId: string,
    { place }: StoredOutcome,
  ): Promise<{ html: string | null; text: string | null } | null> {
    const rows: { html: string | null; text: string | null }[] = await this.sql.query(
      `select html, text from message_content where period = $1 and organization_id = $2 and message_id = $3
         and (html is not null or text is not null)`,
      [place.period, uuidOf('org', organizationId), place.uuid],
    );
    return rows[0] ?? null;
  }

  /** Finds the message of a send to a subscriber. */
  async findBySend(
    organizationId: string,
    sendId: string,
    { subscriberId, mailboxHash, messageIds }: SubscriberMail,
  ): Promise<ExplainedMessage | null> {
    const keys = [uuidOf('org', organizationId), uuidOf('send', sendId), uuidOf('sub', subscriberId)];
    const isByPosition = (await new SendLayoutRepository(this.sql).find(organizationId, sendId)) === 1;
    const rows: Row[] = isByPosition
      ? await this.sql.query(
          `select ${columns} from (
             select message_id from campaign_message where mailbox_hash = $4 and message_id between $2 and last_message_of($2)
             union select i.id from unnest($5::uuid[]) i(id) where i.id between $2 and last_message_of($2)) f
           join ${messagesOf[1]} m on m.message_id = f.message_id and m.message_id between $2 and last_message_of($2)
           left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
           where m.organization_id = $1 and m.subscriber_id = $3`,
          [...keys, mailboxHash, messageIds],
        )
      : await this.sql.query(
          `select ${columns} from send s join ${messagesOf[0]} m on m.period = s.period and m.organization_id = s.organization_id
             and m.send_id = s.send_id and m.subscriber_id = $3
           where s.organization_id = $1 and s.send_id = $2`,
          keys,
        );
    return rows[0] ? messageOf(rows[0]) : null;
  }
}

const placeOf = ({ period, message_id: uuid }: Row): MessagePlace => ({ period, uuid });

function storedOf(row: Row): StoredOutcome {
  const { canRetry: _canRetry, ...message } = messageOf(row);
  const shown = { ...message, kind: row.kind, simulated: row.simulated };
  return { place: placeOf(row), shown, code: row.code, enhancedCode: row.enhanced_code };
}

function messageOf(row: Row): ExplainedMessage {
  const ending = {
    state: row.state,
    skipReason: row.skip_reason,
    code: row.code,
    enhancedCode: row.enhanced_code,
    response: row.response,
  };
  return {
    messageId: wireId('msg', row.message_id),
    subscriberId: row.subscriber_id && wireId('sub', row.subscriber_id),
    campaignId: row.campaign_id && wireId('cmp', row.campaign_id),
    campaignName: row.campaign_name,
    email: row.email,
    subject: subjectOf(row),
    status: statusOf(row.state),
    reason: reasonOf(ending),
    response: row.response,
    attempts: row.attempts,
    canRetry: canRetry(ending),
    createdAt: createdAtOf(row.message_id).toISOString(),
    dueAt: row.due_at?.toISOString() ?? null,
    sentAt: row.accepted_at?.toISOString() ?? null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    openedAt: row.first_opened_at?.toISOString() ?? null,
    clickedAt: row.first_clicked_at?.toISOString() ?? null,
  };
}
