import type { CampaignRecipient, OutcomeCounts, RecipientStatus } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { MessageState } from '../../message/message.js';
import type { SendState } from '../../send/send.js';
import { canRetry, countOutcomes, hasReason, reasonOf, statesOf, statusOf } from './recipient.js';
import type { Ending } from './recipient.js';

interface EndingRow {
  message_id: string;
  subscriber_id: string;
  email: string;
  state: MessageState;
  skip_reason: string | null;
  code: number | null;
  enhanced_code: string | null;
  response: string | null;
}
interface Row extends EndingRow {
  attempts: number;
  accepted_at: Date | null;
  delivered_at: Date | null;
  first_opened_at: Date | null;
  first_clicked_at: Date | null;
}

/** A message that ended without arriving, as a retry looks at it; ids are uuids. */
export interface EndedMessage extends Ending {
  messageId: string;
  subscriberId: string;
  email: string;
}

export interface Requeued {
  messageId: string;
  simulated: boolean;
}

/** Which recipients of a send are listed; statuses null for all. */
export interface RecipientFilter {
  statuses: readonly RecipientStatus[] | null;
  reason?: string | undefined;
  /** Substring of the address, without case. */
  query?: string | undefined;
}

const rowsPerBatch = 2_000;

/**
 * `$1` organization, `$2` send. The partition is a separate condition, since a join would sort the whole send for each
 * page.
 */
const ofSend = `message m where m.organization_id = $1 and m.send_id = $2
  and m.period = (select period from send where organization_id = $1 and send_id = $2)`;

export class RecipientRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Lists one page in the order of subscriber ids, after `cursor`; null for all statuses. The reason of a refusal is
   * derived from its reply, so rows are read in batches and compared until the page is full.
   */
  async list(
    organizationId: string,
    sendId: string,
    { cursor, limit, ...filter }: RecipientFilter & { cursor: string | null; limit: number },
  ): Promise<{ recipients: CampaignRecipient[]; nextCursor: string | null }> {
    const batch = filter.reason === undefined ? limit + 1 : rowsPerBatch;
    const found: CampaignRecipient[] = [];
    let after = cursor && uuidOf('sub', cursor);
    for (;;) {
      const rows = await this.#listRows(organizationId, sendId, { ...filter, after, limit: batch });
      found.push(...rows.filter((row) => hasReason(endingOf(row), filter.reason)).map(recipientOf));
      if (found.length > limit || rows.length < batch) break;
      after = rows.at(-1)!.subscriber_id;
    }
    const recipients = found.slice(0, limit);
    return { recipients, nextCursor: found.length > limit ? recipients.at(-1)!.subscriberId : null };
  }

  async #listRows(
    organizationId: string,
    sendId: string,
    { statuses, reason, query, after, limit }: RecipientFilter & { after: string | null; limit: number },
  ): Promise<Row[]> {
    return await this.sql.query(
      `select m.message_id, m.subscriber_id, m.email, m.state, m.skip_reason, m.code, m.enhanced_code, m.response, m.attempts,
         m.accepted_at, m.delivered_at, m.first_opened_at, m.first_clicked_at
       from ${ofSend} and ($3::text[] is null or m.state = any($3)) and ($4::uuid is null or m.subscriber_id > $4)
         and ($6::text is null or position(lower($6) in lower(m.email)) > 0)
         and ($7::text is null or m.skip_reason = $7 or m.state in ('FAILED', 'DEFERRED'))
       order by m.subscriber_id limit $5`,
      [
        ...keysOf(organizationId, sendId),
        statuses?.flatMap((status) => statesOf[status]) ?? null,
        ...[after, limit, query ?? null, reason ?? null],
      ],
    );
  }

  /** Counts the messages of a send by status and reason; reads all of them. */
  async count(organizationId: string, sendId: string): Promise<OutcomeCounts> {
    const rows: (Omit<EndingRow, 'message_id' | 'subscriber_id' | 'email'> & { n: number })[] = await this.sql.query(
      `select m.state, m.skip_reason, r.code, r.enhanced_code, r.response, count(*)::int as n
       from message m left join lateral (select m.code, m.enhanced_code, m.response where m.state in ('FAILED', 'DEFERRED')) r on true
       where m.organization_id = $1 and m.send_id = $2
         and m.period = (select period from send where organization_id = $1 and send_id = $2)
       group by 1, 2, 3, 4, 5`,
      keysOf(organizationId, sendId),
    );
    return countOutcomes(rows.map((row) => ({ ...endingOf(row), n: row.n })));
  }

  /** The state of a send, and its row locked until the commit, so that it cannot end meanwhile. @returns null for an unknown send */
  async findStateForUpdate(
    organizationId: string,
    sendId: string,
  ): Promise<{ state: SendState; finished: boolean } | null> {
    const rows: { state: SendState; finished: boolean }[] = await this.sql.query(
      `select state, finished_at is not null as finished from send where organization_id = $1 and send_id = $2 for no key update`,
      keysOf(organizationId, sendId),
    );
    return rows[0] ?? null;
  }

  /** Messages that ended without arriving, by their subscribers' uuids, from the one after `after` on. */
  async listEnded(
    organizationId: string,
    sendId: string,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<EndedMessage[]> {
    const rows: EndingRow[] = await this.sql.query(
      `select m.message_id, m.subscriber_id, m.email, m.state, m.skip_reason, m.code, m.enhanced_code, m.response
       from ${ofSend} and (m.state in ('FAILED', 'IN_DOUBT') or m.state = 'SKIPPED' and m.skip_reason = 'RENDER_FAILED')
         and ($3::uuid is null or m.subscriber_id > $3) order by m.subscriber_id limit $4`,
      [...keysOf(organizationId, sendId), after, limit],
    );
    return rows.map((row) => ({
      ...endingOf(row),
      messageId: row.message_id,
      subscriberId: row.subscriber_id,
      email: row.email,
    }));
  }

  /** Makes messages due again as deferred ones, and counts them so in their chunks, which are locked in order. */
  async requeue(organizationId: string, sendId: string, messages: readonly Requeued[]): Promise<void> {
    await this.sql.query(
      `with wish as (select * from unnest($3::uuid[], $4::bool[]) w(message_id, simulated)),
       old as materialized (
         select m.period, m.message_id, m.page_no, m.state, m.skip_reason, w.simulated
         from wish w join send s on s.organization_id = $1 and s.send_id = $2
         join message m on m.period = s.period and m.organization_id = $1 and m.message_id = w.message_id and m.send_id = $2
         where m.state in ('FAILED', 'IN_DOUBT', 'SKIPPED') order by m.message_id for no key update of m),
       again as (
         update message m set state = 'DEFERRED', skip_reason = null, owner = null, due_at = clock_timestamp(), simulated = o.simulated
         from old o where m.period = o.period and m.organization_id = $1 and m.message_id = o.message_id),
       change as (
         select page_no, count(*)::int as n, count(*) filter (where state = 'FAILED')::int as failed,
           count(*) filter (where state = 'IN_DOUBT')::int as in_doubt,
           count(*) filter (where state = 'SKIPPED')::int as skipped from old group by page_no),
       page as materialized (
         select p.page_no from send_page p join change c using (page_no) where p.organization_id = $1 and p.send_id = $2
         order by p.page_no for no key update of p)
       update send_page p set deferred = p.deferred + c.n, failed = p.failed - c.failed, in_doubt = p.in_doubt - c.in_doubt,
         skipped = case when c.skipped = 0 then p.skipped
           when (p.skipped ->> 'RENDER_FAILED')::int = c.skipped then p.skipped - 'RENDER_FAILED'
           else p.skipped || jsonb_build_object('RENDER_FAILED', (p.skipped ->> 'RENDER_FAILED')::int - c.skipped) end
       from change c join page using (page_no) where p.organization_id = $1 and p.send_id = $2 and p.page_no = c.page_no`,
      [
        ...keysOf(organizationId, sendId),
        messages.map(({ messageId }) => messageId),
        messages.map(({ simulated }) => simulated),
      ],
    );
  }

  /** Runs a finished send again; a send in progress goes on unchanged. @returns its campaign and the instant */
  async updateReopened(organizationId: string, sendId: string): Promise<{ campaignId: string; at: string }> {
    const [rows]: [{ campaign_id: string; at: Date }[], number] = await this.sql.query(
      `update send set state = case when finished_at is null then state else 'RUNNING' end, finished_at = null
       where organization_id = $1 and send_id = $2 returning campaign_id, clock_timestamp()::timestamptz(3) as at`,
      keysOf(organizationId, sendId),
    );
    const { campaign_id, at } = rows[0]!;
    return { campaignId: wireId('cmp', campaign_id), at: at.toISOString() };
  }
}

const keysOf = (organizationId: string, sendId: string) => [uuidOf('org', organizationId), uuidOf('send', sendId)];

const endingOf = ({
  state,
  skip_reason,
  code,
  enhanced_code,
  response,
}: Omit<EndingRow, 'message_id' | 'subscriber_id' | 'email'>): Ending => ({
  state,
  skipReason: skip_reason,
  code,
  enhancedCode: enhanced_code,
  response,
});

function recipientOf(row: Row): CampaignRecipient {
  const ending = endingOf(row);
  return {
    subscriberId: wireId('sub', row.subscriber_id),
    email: row.email,
    messageId: wireId('msg', row.message_id),
    status: statusOf(row.state),
    reason: reasonOf(ending),
    response: row.response,
    attempts: row.attempts,
    canRetry: canRetry(ending),
    sentAt: row.accepted_at?.toISOString() ?? null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    openedAt: row.first_opened_at?.toISOString() ?? null,
    clickedAt: row.first_clicked_at?.toISOString() ?? null,
  };
}
