import { uuidOf, wireId } from '#database';
import { mailHeldSql } from '../../hold/mail-hold.repository.js';
import type { SendState } from '../send.js';
import type { LeasedChunk, QueuedRecipient, Skip } from './chunk.js';
import type { PreparedSql } from '../prepared-sql.repository.js';

/** While all mail is held, a running send reads as a paused one. */
const sendStateSql = `case when s.state = 'RUNNING' and ${mailHeldSql} then 'PAUSED' else s.state end as send_state`;
/** `$1` organization, `$2` send, `$3` chunk, `$4` owner, `$5` fence. The chunk's row stays locked until the commit. */
const held = `held as materialized (
  select p.state = 'LEASED' and p.owner = $4 and p.fence = $5 and p.until > clock_timestamp() as mine,
    ${sendStateSql}, s.period
  from send_page p join send s on s.organization_id = p.organization_id and s.send_id = p.send_id
  where p.organization_id = $1 and p.send_id = $2 and p.page_no = $3 for no key update of p)`;
const thisPage = `p.organization_id = $1 and p.send_id = $2 and p.page_no = $3`;
const leaseOf = (seconds: string) => `clock_timestamp() + make_interval(secs => ${seconds})`;

/** Changes of one organization that one statement applies; a resume of many sends makes many. */
const changesMax = 500;
/** Statements that apply changes between two claims. */
const updatesMax = 20;

const claimSql = `
  select organization_id, send_id, page_no, fence::text as fence, send_state, period::text as period, campaign_id, audience_id, layout,
    waited from claim_chunk($1, $2, $3, $4)`;

interface ClaimedRow {
  organization_id: string;
  send_id: string;
  page_no: number;
  fence: string;
  send_state: SendState;
  period: string;
  campaign_id: string;
  audience_id: string;
  layout: 0 | 1;
  waited: boolean;
}
/** The organization has no chunk to claim; null: another process served it meanwhile. */
interface EmptyRow {
  organization_id: string | null;
  page_no: null;
}

const chunkOf = (row: ClaimedRow): LeasedChunk => ({
  organizationId: wireId('org', row.organization_id),
  sendId: wireId('send', row.send_id),
  pageNo: row.page_no,
  fence: row.fence,
  period: row.period,
  campaignId: wireId('cmp', row.campaign_id),
  audienceId: wireId('aud', row.audience_id),
  layout: row.layout,
  sendState: row.send_state,
  waited: row.waited,
});

/**
 * Puts messages in doubt that a vanished worker had marked, except those to test addresses, which no relay ever saw.
 * Then lists the recipients of the chunk that have a message already.
 */
const takeOverSql = `
  with doubted as (
    update message m set state = case when simulated then 'DEFERRED' else 'IN_DOUBT' end,
      due_at = case when simulated then clock_timestamp() end, response = 'the process that handed it over went away'
    where m.period = $4::date and m.organization_id = $1 and m.send_id = $2 and m.subscriber_id = any($6::uuid[])
      and m.state = 'HANDING_OVER' and m.owner is null and m.fence < $5
    returning m.simulated),
  counted as (
    update send_page p set in_doubt = p.in_doubt + d.doubts, deferred = p.deferred + d.others
    from (select count(*) filter (where not simulated)::int as doubts, count(*) filter (where simulated)::int as others from doubted) d
    where ${thisPage} and d.doubts + d.others > 0)
  select m.subscriber_id, (select count(*)::int from doubted where not simulated) as doubted from message m
  where m.period = $4::date and m.organization_id = $1 and m.send_id = $2 and m.subscriber_id = any($6::uuid[])`;

/** Whether at least `$4` queued messages of the send are due; `$1` organization, `$2` send, `$3` period. */
const hasQueuedSql = `
  select count(*) >= $4 as full from (
    select from message m where m.kind = 'CAMPAIGN' and m.organization_id = $1 and m.due_at <= statement_timestamp()
      and m.send_id = $2 and m.period = $3::date limit $4) m`;

/** Inserts the messages of a chunk that have no row, counts them, and ends the chunk. */
const queueSql = `
  with ${held},
  leased as (select period from held where mine and (send_state <> 'STOPPED' or cardinality($11::uuid[]) = 0)),
  skipped as (
    insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state, skip_reason, response, fence)
    select $1, u.id, leased.period, 'CAMPAIGN', $2, $3, u.subscriber, u.email, '', 'SKIPPED', u.reason, u.detail, $5
    from unnest($6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::text[]) u(id, subscriber, email, reason, detail), leased
    on conflict do nothing returning skip_reason),
  queued as (
    insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state, simulated, due_at, fence)
    select $1, u.id, leased.period, 'CAMPAIGN', $2, $3, u.subscriber, u.email, '', 'DEFERRED', u.simulated, clock_timestamp(), $5
    from unnest($11::uuid[], $12::uuid[], $13::text[], $14::boolean[]) u(id, subscriber, email, simulated), leased
    on conflict do nothing returning 1),
  counted as (
    update send_page p set state = 'DONE', deferred = p.deferred + (select count(*)::int from queued), skipped = p.skipped || (
      select coalesce(jsonb_object_agg(k.skip_reason, coalesce((p.skipped ->> k.skip_reason)::int, 0) + k.n), '{}')
      from (select skip_reason, count(*)::int as n from skipped group by skip_reason) k)
    from leased where ${thisPage})
  select from leased`;

export class ChunkRepository {
  constructor(
    private readonly sql: PreparedSql,
    /** The worker: a uuid of its own at each start. */
    private readonly owner: string,
    private readonly leaseSeconds: number,
  ) {}

  /**
   * Leases the next chunk of the organization that was served longest ago, so that no tenant waits behind a larger one.
   * Chunks of a stopped send are claimed too, to record their recipients as skipped.
   * @param except sends to pass over
   * @returns null if there is none
   */
  async claim(except: readonly string[]): Promise<LeasedChunk | null> {
    // Changes of many sends must not delay those that have their turns.
    for (;;) {
      const isUpToDate = await this.#updateTurns();
      const page = await this.#claim(except);
      if (page || isUpToDate) return page;
    }
  }

  /** Each call locks one organization, so that no two wait for each other. @returns false if there are more changes */
  async #updateTurns(): Promise<boolean> {
    for (let call = 0; call < updatesMax; call++) {
      const [row] = await this.sql.query<{ more: boolean }>('turns update', 'select update_send_turns($1) as more', [
        changesMax,
      ]);
      if (!row!.more) return true;
    }
    return false;
  }

  async #claim(except: readonly string[]): Promise<LeasedChunk | null> {
    const passedOver = except.map((id) => uuidOf('send', id));
    for (const visited: string[] = []; ;) {
      const [row] = await this.sql.query<ClaimedRow | EmptyRow>('page claim', claimSql, [
        this.owner,
        this.leaseSeconds,
        passedOver,
        visited,
      ]);
      if (!row) return null;
      if (row.page_no !== null) return chunkOf(row);
      if (row.organization_id !== null) visited.push(row.organization_id);
    }
  }

  /** @returns the state of the send; null if another process holds the chunk */
  async renew(page: LeasedChunk): Promise<SendState | null> {
    const [row] = await this.sql.query<{ send_state: SendState }>(
      'page renew',
      `update send_page p set until = ${leaseOf('$6')} from send s
       where ${thisPage} and p.state = 'LEASED' and p.owner = $4 and p.fence = $5
         and s.organization_id = p.organization_id and s.send_id = p.send_id
       returning ${sendStateSql}`,
      [...this.#keys(page), this.leaseSeconds],
    );
    return row?.send_state ?? null;
  }

  async release(page: LeasedChunk): Promise<void> {
    await this.sql.query(
      'page release',
      `update send_page p set state = 'READY', owner = null, until = null
       where ${thisPage} and p.state = 'LEASED' and p.owner = $4 and p.fence = $5`,
      this.#keys(page),
    );
  }

  /**
   * Puts unfinished attempts of an earlier worker in doubt.
   * @returns `known`: uuids of the chunk's recipients that have a message already; `doubted`: how many this put in
   * doubt
   */
  async takeOver(
    page: LeasedChunk,
    subscriberIds: readonly string[],
  ): Promise<{ known: Set<string>; doubted: number }> {
    const [organization, send, pageNo, , fence] = this.#keys(page);
    const rows = await this.sql.query<{ subscriber_id: string; doubted: number }>('page take over', takeOverSql, [
      organization,
      send,
      pageNo,
      page.period,
      fence,
      subscriberIds,
    ]);
    return { known: new Set(rows.map((row) => row.subscriber_id)), doubted: rows[0]?.doubted ?? 0 };
  }

  /** Whether at least `count` queued messages of the chunk's send are due. */
  async hasQueued({ organizationId, sendId, period }: LeasedChunk, count: number): Promise<boolean> {
    const keys = [uuidOf('org', organizationId), uuidOf('send', sendId), period, count];
    const [row] = await this.sql.query<{ full: boolean }>('page queued', hasQueuedSql, keys);
    return row!.full;
  }

  /**
   * Queues messages of a chunk of layout 0, due at once, records the others as skipped, and ends the chunk.
   * @returns false if the lease was lost, or the send was stopped; then nothing was recorded
   */
  async insertQueued(
    page: LeasedChunk,
    { skips, queued }: { skips: readonly Skip[]; queued: readonly QueuedRecipient[] },
  ): Promise<boolean> {
    const rows = await this.sql.query('page queue', queueSql, [
      ...this.#keys(page),
      skips.map((skip) => skip.messageId),
      skips.map((skip) => skip.subscriberId),
      skips.map((skip) => skip.email),
      skips.map((skip) => skip.reason),
      skips.map((skip) => skip.detail),
      queued.map(({ messageId }) => messageId),
      queued.map(({ subscriberId }) => subscriberId),
      queued.map(({ email }) => email),
      queued.map(({ simulated }) => simulated),
    ]);
    return rows.length > 0;
  }

  #keys({ organizationId, sendId, pageNo, fence }: LeasedChunk): unknown[] {
    return [uuidOf('org', organizationId), uuidOf('send', sendId), pageNo, this.owner, fence];
  }
}
