import type { CampaignRecipient, OutcomeCounts, RecipientStatus } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { stateNameSql } from '../../message/ledger-codes.js';
import { ledgerRows, ledgerStatesOf } from '../../message/ledger-rows.js';
import type { MessageLayout, MessageState } from '../../message/message.js';
import { SendLayoutRepository } from '../../message/send-layout.repository.js';
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
  place: string;
}

/** A message that ended without arriving, as a retry looks at it; ids are uuids. */
export interface EndedMessage extends Ending {
  messageId: string;
  subscriberId: string;
  email: string;
  /** The place in the order of the send: the messages after it follow. */
  place: string;
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
 * SQL: the messages of a send; `$1` organization, `$2` send. The partition is a separate condition, since a join would
 * sort the whole send for each page. Old messages are in the order of subscribers, the others in that of the audience.
 */
const ofSend = [
  {
    rows: `message m where m.organization_id = $1 and m.send_id = $2
      and m.period = (select period from send where organization_id = $1 and send_id = $2)`,
    place: 'm.subscriber_id',
    state: 'm.state',
  },
  { rows: `${ledgerRows} m where true`, place: 'm.message_id', state: 'm.letter' },
];

/** SQL: changes the messages of `wish` that may be retried; `old`: their chunks, and their states before. */
const againSql = [
  `old as materialized (
     select m.period, m.message_id, m.page_no, m.state, m.skip_reason, w.simulated
     from wish w join send s on s.organization_id = $1 and s.send_id = $2
     join message m on m.period = s.period and m.organization_id = $1 and m.message_id = w.message_id and m.send_id = $2
     where m.state in ('FAILED', 'IN_DOUBT', 'SKIPPED') order by m.message_id for no key update of m),
   again as (
     update message m set state = 'DEFERRED', skip_reason = null, owner = null, due_at = clock_timestamp(), simulated = o.simulated
     from old o where m.period = o.period and m.organization_id = $1 and m.message_id = o.message_id)`,
  `old as materialized (
     select m.message_id, chunk_of_message(m.message_id) as page_no, ${stateNameSql('m.state')} as state, m.attempts, w.simulated
     from wish w join campaign_message m on m.message_id = w.message_id
     where m.organization_id = $1 and m.message_id between $2 and last_message_of($2) and m.state in ('F', 'I', 'K')
     order by m.message_id for no key update of m),
   again as (
     update campaign_message m set state = 'W', skip_reason = null, simulated = o.simulated
     from old o where m.message_id = o.message_id and m.message_id between $2 and last_message_of($2)),
   queued as (
     insert into message_queue (message_id, organization_id, kind, send_id, due_at, attempts, state)
     select message_id, $1, 'C', $2, clock_timestamp(), attempts, 'DEFERRED' from old
     on conflict (message_id) do update set due_at = excluded.due_at, owner = null, until = null, state = 'DEFERRED')`,
];

/** SQL by layout: `chunk` is that of each message `$3` of the send `s`. */
const chunkSql = [
  `join lateral (select m.page_no as chunk from message m
     where m.period = s.period and m.organization_id = s.organization_id and m.message_id = any($3::uuid[])) c on true`,
  `join lateral (select chunk_of_message(id) as chunk from unnest($3::uuid[]) id) c on true`,
];

export class RecipientRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Lists one page in the order of the send, after `cursor`; null for all statuses. The reason of a refusal is derived
   * from its reply, so rows are read in batches and compared until the page is full.
   */
  async list(
    organizationId: string,
    sendId: string,
    { cursor, limit, ...filter }: RecipientFilter & { cursor: string | null; limit: number },
  ): Promise<{ recipients: CampaignRecipient[]; nextCursor: string | null }> {
    const layout = await new SendLayoutRepository(this.sql).find(organizationId, sendId);
    const batch = filter.reason === undefined ? limit + 1 : rowsPerBatch;
    const found: CampaignRecipient[] = [];
    let after = cursor && (await this.#placeOf(organizationId, sendId, { layout, cursor }));
    for (;;) {
      const rows = await this.#listRows(organizationId, sendId, { ...filter, layout, after, limit: batch });
      found.push(...rows.filter((row) => hasReason(endingOf(row), filter.reason)).map(recipientOf));
      if (found.length > limit || rows.length < batch) break;
      after = rows.at(-1)!.place;
    }
    const recipients = found.slice(0, limit);
    const last = found.length > limit ? recipients.at(-1)! : null;
    return { recipients, nextCursor: last && (layout === 0 ? last.subscriberId : last.messageId) };
  }

  /** Reads the place from a cursor; that of a message by position may name the subscriber, as old sends do. */
  async #placeOf(
    organizationId: string,
    sendId: string,
    { layout, cursor }: { layout: MessageLayout; cursor: string },
  ): Promise<string | null> {
    const subscriberId = uuidOf('sub', cursor);
    if (layout === 0 || subscriberId === null) return layout === 0 ? subscriberId : uuidOf('msg', cursor);
    const rows: { message_id: string }[] = await this.sql.query(
      `select m.message_id from ${ledgerRows} m where m.subscriber_id = $3 limit 1`,
      [...keysOf(organizationId, sendId), subscriberId],
    );
    return rows[0]?.message_id ?? null;
  }

  async #listRows(
    organizationId: string,
    sendId: string,
    {
      layout,
      statuses,
      reason,
      query,
      after,
      limit,
    }: RecipientFilter & { layout: MessageLayout; after: string | null; limit: number },
  ): Promise<Row[]> {
    const { rows, place, state } = ofSend[layout]!;
    const states = statuses?.flatMap((status) => statesOf[status]) ?? null;
    return await this.sql.query(
      `select m.message_id, m.subscriber_id, m.email, m.state, m.skip_reason, m.code, m.enhanced_code, m.response, m.attempts,
         m.accepted_at, m.delivered_at, m.first_opened_at, m.first_clicked_at, ${place} as place
       from ${rows} and ($3::text[] is null or ${state} = any($3::text[])) and ($4::uuid is null or ${place} > $4)
         and ($6::text is null or position(lower($6) in lower(m.email)) > 0)
         and ($7::text is null or m.skip_reason = $7 or m.state in ('FAILED', 'DEFERRED'))
       order by ${place} limit $5`,
      [
        ...keysOf(organizationId, sendId),
        layout === 0 ? states : states && ledgerStatesOf(states),
        ...[after, limit, query ?? null, reason ?? null],
      ],
    );
  }

  /** Counts the messages of a send by status and reason; reads all of them. */
  async count(organizationId: string, sendId: string): Promise<OutcomeCounts> {
    const layout = await new SendLayoutRepository(this.sql).find(organizationId, sendId);
    const rows: (Omit<EndingRow, 'message_id' | 'subscriber_id' | 'email'> & { n: number })[] = await this.sql.query(
      `select m.state, m.skip_reason, r.code, r.enhanced_code, r.response, count(*)::int as n
       from (select m.* from ${ofSend[layout]!.rows}) m
       left join lateral (select m.code, m.enhanced_code, m.response where m.state in ('FAILED', 'DEFERRED')) r on true
       group by 1, 2, 3, 4, 5`,
      keysOf(organizationId, sendId),
    );
    return countOutcomes(rows.map((row) => ({ ...endingOf(row), n: row.n })));
  }

  /** The state of a send, and its row locked until the commit, so that it cannot end meanwhile. @returns null for an unknown send */
  async findStateForUpdate(
    organizationId: string,
    sendId: string,
  ): Promise<{ state: SendState; finished: boolean; layout: MessageLayout } | null> {
    const rows: { state: SendState; finished: boolean; layout: MessageLayout }[] = await this.sql.query(
      `select state, finished_at is not null as finished, layout from send where organization_id = $1 and send_id = $2 for no key update`,
      keysOf(organizationId, sendId),
    );
    return rows[0] ?? null;
  }

  /** Messages that ended without arriving, in the order of the send, from the one after the place `after` on. */
  async listEnded(
    organizationId: string,
    sendId: string,
    { layout, after, limit }: { layout: MessageLayout; after: string | null; limit: number },
  ): Promise<EndedMessage[]> {
    const { rows, place } = ofSend[layout]!;
    const ended: (EndingRow & { place: string })[] = await this.sql.query(
      `select m.message_id, m.subscriber_id, m.email, m.state, m.skip_reason, m.code, m.enhanced_code, m.response, ${place} as place
       from ${rows} and (m.state in ('FAILED', 'IN_DOUBT') or m.state = 'SKIPPED' and m.skip_reason = 'RENDER_FAILED')
         and ($3::uuid is null or ${place} > $3) order by ${place} limit $4`,
      [...keysOf(organizationId, sendId), after, limit],
    );
    return ended.map((row) => ({
      ...endingOf(row),
      messageId: row.message_id,
      subscriberId: row.subscriber_id,
      email: row.email,
      place: row.place,
    }));
  }

  /**
   * Makes messages due again as deferred ones, and counts them so in their chunks, which are locked in order. Deleted
   * chunks begin again with counters that are added to the totals of the send. The caller has locked the send.
   */
  async requeue(
    organizationId: string,
    sendId: string,
    { layout, messages }: { layout: MessageLayout; messages: readonly Requeued[] },
  ): Promise<void> {
    await this.sql.query(
      `insert into send_page (organization_id, send_id, page_no, state)
       select distinct s.organization_id, s.send_id, c.chunk, 'DONE' from send s ${chunkSql[layout]}
       where s.organization_id = $1 and s.send_id = $2 and not s.chunks_kept on conflict do nothing`,
      [...keysOf(organizationId, sendId), messages.map(({ messageId }) => messageId)],
    );
    await this.sql.query(
      `with wish as (select * from unnest($3::uuid[], $4::bool[]) w(message_id, simulated)),
       ${againSql[layout]},
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
           else p.skipped || jsonb_build_object('RENDER_FAILED', coalesce((p.skipped ->> 'RENDER_FAILED')::int, 0) - c.skipped) end
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
      `update send set state = case when finished_at is null then state else 'RUNNING' end, finished_at = null, chunks_kept = true
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
