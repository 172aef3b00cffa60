import type { Args, Data, deliveryRequests, SenderFacts } from '#contracts';
import { isByPosition, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { MailQuotaRepository } from '../limits/mail-quota.repository.js';
import { ledgerStates } from '../message/ledger-codes.js';
import { chunkCountsSql, countsOf } from './progress.repository.js';
import type { CountsRow } from './progress.repository.js';
import { outcomeOf, sendStateSources } from './send.js';
import type { Send, SendState } from './send.js';

type Calls = (typeof deliveryRequests)['calls'];
type StartSend = Args<Calls['start_send']>;

/** Bounds one round of the sweep; the next one follows within a second. */
export const checksMax = 500;
/** Not `exists`, for which the planner may read the chunks of all sends at once. */
const noChunk = (condition: string) => `(select true from send_page p
  where p.organization_id = s.organization_id and p.send_id = s.send_id and ${condition} limit 1) is null`;
const chunksDone = noChunk(`p.state <> 'DONE'`);
const nothingDeferred = noChunk('p.deferred > 0');

/** Deferred rows of `message`; `$1` organization, `$2` send. */
const skippedRows = `skipped as (
  update message m set state = 'SKIPPED', skip_reason = 'STOPPED', owner = null, due_at = null from send s
  where s.organization_id = $1 and s.send_id = $2 and s.state = 'STOPPED' and m.period = s.period and m.organization_id = $1
    and m.send_id = $2 and m.due_at is not null and m.state in ('QUEUED', 'DEFERRED') returning m.page_no)`;
/** Queued messages of the ledger; they are one range of ids. */
const skippedQueued = `gone as (
  delete from message_queue q using send s
  where s.organization_id = $1 and s.send_id = $2 and s.state = 'STOPPED' and q.organization_id = $1
    and q.message_id between $2 and (left($2::text, 28) || '7fffffff')::uuid and q.state in ('QUEUED', 'DEFERRED')
  returning q.message_id),
skipped as (
  update campaign_message m set state = '${ledgerStates.SKIPPED}', skip_reason = 'STOPPED' from gone g
  where m.message_id = g.message_id and m.organization_id = $1
  returning ('x' || right(m.message_id::text, 8))::bit(32)::int >> 10 as page_no)`;

/** `checks`: ids of the notes that the send may be at its end. */
export interface EndCheck {
  organizationId: string;
  sendId: string;
  checks: string[];
  stopped: boolean;
  ends: boolean;
}

export class SendRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Writes a send and its pages; the same id again changes nothing. While mail is held after a restore it starts PAUSED,
   * since it may have gone out after the backup.
   * @param layout 1: its messages are rows of the ledger
   * @returns whether it is new
   */
  async insert(organizationId: string, send: StartSend, layout: 0 | 1): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `with made as (
         insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, reply_to,
           organization_name, track_opens, track_clicks, total, pages, period, state, paused_reason, subject, layout)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, date_trunc('month', clock_timestamp() at time zone 'UTC'),
           case when (select pauses_sends from mail_hold) then 'PAUSED' else 'RUNNING' end,
           (select 'RESTORED: ' || reason from mail_hold where pauses_sends), $6::jsonb -> 'subject', $14)
         on conflict (organization_id, send_id) do nothing returning organization_id, send_id),
       paged as (
         insert into send_page (organization_id, send_id, page_no)
         select organization_id, send_id, n from made, generate_series(0, $13 - 1) n)
       select from made`,
      [
        uuidOf('org', organizationId),
        uuidOf('send', send.sendId),
        uuidOf('cmp', send.campaignId),
        send.campaignName,
        uuidOf('aud', send.audienceId),
        JSON.stringify(send.template),
        JSON.stringify(send.sender),
        send.replyTo,
        send.organizationName,
        send.tracking.opens,
        send.tracking.clicks,
        send.total,
        send.pages,
        layout,
      ],
    );
    return rows.length > 0;
  }

  /** @returns null for an unknown send */
  async findState(organizationId: string, sendId: string): Promise<SendState | null> {
    const rows: { state: SendState }[] = await this.sql.query(
      `select state from send where organization_id = $1 and send_id = $2`,
      [uuidOf('org', organizationId), uuidOf('send', sendId)],
    );
    return rows[0]?.state ?? null;
  }

  /**
   * @returns the month of a send's messages, and whether its content has been deleted; null for an unknown send
   */
  async findAge(organizationId: string, sendId: string): Promise<{ period: Date; contentExpired: boolean } | null> {
    const rows: { period: Date; expired: boolean }[] = await this.sql.query(
      `select period::timestamp at time zone 'UTC' as period, template ? 'expired' as expired
       from send where organization_id = $1 and send_id = $2`,
      [uuidOf('org', organizationId), uuidOf('send', sendId)],
    );
    return rows[0] ? { period: rows[0].period, contentExpired: rows[0].expired } : null;
  }

  /**
   * Returns the data from which the messages of a send are rendered; `tracking` null means the organization's setting.
   * @returns null for an unknown send
   */
  async find(
    organizationId: string,
    sendId: string,
  ): Promise<(Omit<Send, 'tracking'> & { tracking: Send['tracking'] | null }) | null> {
    const rows: {
      campaign_id: string;
      campaign_name: string;
      audience_id: string;
      template: unknown;
      sender: SenderFacts;
      reply_to: string | null;
      organization_name: string;
      track_opens: boolean | null;
      track_clicks: boolean | null;
      period: string;
    }[] = await this.sql.query(
      `select campaign_id, campaign_name, audience_id, template, sender, reply_to, organization_name, track_opens, track_clicks,
         period::text as period from send where organization_id = $1 and send_id = $2`,
      [uuidOf('org', organizationId), uuidOf('send', sendId)],
    );
    const row = rows[0];
    return row
      ? {
          organizationId,
          sendId,
          campaignId: wireId('cmp', row.campaign_id),
          campaignName: row.campaign_name,
          audienceId: wireId('aud', row.audience_id),
          template: row.template,
          sender: row.sender,
          replyTo: row.reply_to,
          organizationName: row.organization_name,
          tracking:
            row.track_opens === null || row.track_clicks === null
              ? null
              : { opens: row.track_opens, clicks: row.track_clicks },
          period: row.period,
        }
      : null;
  }

  async list(organizationId: string, limit: number): Promise<Data<Calls['list_sends']>['sends']> {
    const rows: {
      send_id: string;
      campaign_id: string;
      campaign_name: string;
      state: SendState;
      total: number;
      started_at: Date;
      finished_at: Date | null;
    }[] = await this.sql.query(
      `select send_id, campaign_id, campaign_name, state, total, started_at, finished_at from send
       where organization_id = $1 order by send_id desc limit $2`,
      [uuidOf('org', organizationId), limit],
    );
    return rows.map((row) => ({
      sendId: wireId('send', row.send_id),
      campaignId: wireId('cmp', row.campaign_id),
      campaignName: row.campaign_name,
      state: row.state,
      total: row.total,
      startedAt: row.started_at.toISOString(),
      finishedAt: row.finished_at?.toISOString() ?? null,
    }));
  }

  /** Counts the chunks in each state, and lists the first `limit` of the leased ones. */
  async listPages(organizationId: string, sendId: string, limit: number): Promise<Data<Calls['list_send_pages']>> {
    const keys = [uuidOf('org', organizationId), uuidOf('send', sendId)];
    // A chunk without a row is done, and was deleted.
    const [states]: { READY: number; LEASED: number; DONE: number }[] = await this.sql.query(
      `select p.ready as "READY", p.leased as "LEASED", s.pages - p.ready - p.leased as "DONE" from send s cross join lateral (
         select count(*) filter (where state = 'READY')::int as ready, count(*) filter (where state = 'LEASED')::int as leased
         from send_page where organization_id = s.organization_id and send_id = s.send_id and state <> 'DONE') p
       where s.organization_id = $1 and s.send_id = $2`,
      keys,
    );
    const leased: { page_no: number; until: Date; fence: string; sent: number; deferred: number; in_doubt: number }[] =
      await this.sql.query(
        `select page_no, until, fence, sent, deferred, in_doubt from send_page
         where organization_id = $1 and send_id = $2 and state = 'LEASED' order by page_no limit $3`,
        [...keys, limit],
      );
    return {
      states: states!,
      leased: leased.map((row) => ({
        page: row.page_no,
        until: row.until.toISOString(),
        fence: Number(row.fence),
        sent: row.sent,
        deferred: row.deferred,
        inDoubt: row.in_doubt,
      })),
    };
  }

  /** Notes what a send waits for, and leaves it alone for some seconds; null when it waits no longer. */
  async updateWaiting(
    organizationId: string,
    sendId: string,
    waiting: { reason: string; seconds: number } | null,
  ): Promise<void> {
    await this.sql.query(
      `update send set waiting_for = $3, not_before = clock_timestamp() + make_interval(secs => $4)
       where organization_id = $1 and send_id = $2`,
      [uuidOf('org', organizationId), uuidOf('send', sendId), waiting?.reason ?? null, waiting?.seconds ?? 0],
    );
  }

  /**
   * Skips the deferred messages of a stopped send; a process that has claimed one finds it skipped when it marks.
   * @returns how many
   */
  async skipDeferred(organizationId: string, sendId: string): Promise<number> {
    const isByPlace = isByPosition(uuidOf('send', sendId) ?? '');
    return (
      (await this.#skip(organizationId, sendId, skippedRows)) +
      (isByPlace ? await this.#skip(organizationId, sendId, skippedQueued) : 0)
    );
  }

  /** @param skipped SQL of a CTE with the chunk of each skipped message */
  async #skip(organizationId: string, sendId: string, skipped: string): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with ${skipped},
       change as (select page_no, count(*)::int as n from skipped group by page_no),
       page as materialized (
         select p.page_no from send_page p join change c using (page_no) where p.organization_id = $1 and p.send_id = $2
         order by p.page_no for no key update of p),
       counted as (
         update send_page p set deferred = p.deferred - c.n,
           skipped = p.skipped || jsonb_build_object('STOPPED', coalesce((p.skipped ->> 'STOPPED')::int, 0) + c.n)
         from change c join page using (page_no) where p.organization_id = $1 and p.send_id = $2 and p.page_no = c.page_no)
       select count(*)::int as n from skipped`,
      [uuidOf('org', organizationId), uuidOf('send', sendId)],
    );
    return rows[0]!.n;
  }

  /**
   * Lists sends that changed so that they may be at their end, the first changes first. `ends`: one has nothing left to do,
   * or is stopped with messages to skip, since late replies defer some after the end.
   */
  async listEndChecks(): Promise<EndCheck[]> {
    const rows: { organization_id: string; send_id: string; checks: string[]; stopped: boolean; ends: boolean }[] =
      await this.sql.query(
        `select c.organization_id, c.send_id, c.checks, s.state = 'STOPPED' as stopped,
           case when s.finished_at is null then ${chunksDone} and (s.state = 'STOPPED' or ${nothingDeferred})
             else s.state = 'STOPPED' and not ${nothingDeferred} end as ends
         from (select organization_id, send_id, array_agg(check_id::text) as checks
           from (select * from send_end_check order by check_id limit ${checksMax}) c group by organization_id, send_id) c
         left join lateral (
           select * from send s where s.organization_id = c.organization_id and s.send_id = c.send_id limit 1) s on true`,
      );
    return rows.map(({ organization_id, send_id, checks, stopped, ends }) => ({
      organizationId: wireId('org', organization_id),
      sendId: wireId('send', send_id),
      checks,
      stopped,
      ends,
    }));
  }

  /**
   * Deletes checks that were carried out. A stopped send with a message in progress is checked again, after the others: the
   * result of that message may defer it.
   */
  async deleteEndChecks(checks: readonly string[]): Promise<void> {
    await this.sql.query(
      `with carried_out as (
         delete from send_end_check where check_id = any($1::bigint[]) returning organization_id, send_id)
       insert into send_end_check (organization_id, send_id)
       select distinct organization_id, send_id from carried_out join send s using (organization_id, send_id)
       where s.state = 'STOPPED' and ${chunksDone} and not ${nothingDeferred}`,
      [checks],
    );
  }

  /**
   * Ends a send whose chunks are done and which has nothing deferred; of several callers one succeeds. Skipped
   * recipients leave the quota of the month.
   * @returns the data of its event, null when it is not at its end or ended already
   */
  async updateFinished(
    organizationId: string,
    sendId: string,
  ): Promise<{ campaignId: string; at: string; outcome: 'SENT' | 'FAILED'; failure: string | null } | null> {
    const keys = [uuidOf('org', organizationId), uuidOf('send', sendId)];
    const [ended]: [{ campaign_id: string; finished_at: Date }[]] = await this.sql.query(
      `update send s set state = case when state = 'STOPPED' then state else 'DONE' end, finished_at = clock_timestamp(), waiting_for = null,
         paused_reason = null
       where organization_id = $1 and send_id = $2 and finished_at is null
         and ${chunksDone} and ${nothingDeferred}
       returning campaign_id, finished_at`,
      keys,
    );
    if (!ended[0]) return null;
    const counts: CountsRow[] = await this.sql.query(chunkCountsSql, keys);
    await new MailQuotaRepository(this.sql).updateSkipped(organizationId, sendId, 'give back');
    return {
      campaignId: wireId('cmp', ended[0].campaign_id),
      at: ended[0].finished_at.toISOString(),
      ...outcomeOf(countsOf(counts[0]!)),
    };
  }

  /**
   * Each group of marks reads the state, so a committed pause takes effect at once.
   * @returns the state it is in now, null for an unknown send
   */
  async updateState(
    organizationId: string,
    sendId: string,
    change: { state: 'RUNNING' | 'PAUSED' | 'STOPPED'; reason: string | null },
  ): Promise<SendState | null> {
    const keys = [uuidOf('org', organizationId), uuidOf('send', sendId)];
    await this.sql.query(
      `update send set state = $3, paused_reason = case when $3 = 'PAUSED' then $4 end, waiting_for = null
       where organization_id = $1 and send_id = $2 and state = any($5)`,
      [...keys, change.state, change.reason, sendStateSources[change.state]],
    );
    if (change.state === 'STOPPED') await this.skipDeferred(organizationId, sendId);
    return await this.findState(organizationId, sendId);
  }
}
