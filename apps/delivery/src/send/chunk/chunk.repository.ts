import { newUuid, uuidOf, wireId } from '#database';
import { guardOpensSql, takeGuardSql } from '../../limits/recipient-guard.repository.js';
import type { HashMailbox } from '../../message/address-hash.js';
import { mailHeldSql } from '../../hold/mail-hold.repository.js';
import type { SendState } from '../send.js';
import type { GroupCommit, LeasedChunk, Mark, Deferral, Settlement, Skip } from './chunk.js';
import type { PreparedSql } from '../prepared-sql.repository.js';

/**
 * `$1` organization, `$2` send, `$3` chunk, `$4` owner, `$5` fence. The chunk's row stays locked until the commit.
 * While all mail is held, a running send reads as a paused one.
 */
const held = `held as materialized (
  select p.state = 'LEASED' and p.owner = $4 and p.fence = $5 and p.until > clock_timestamp() as mine,
    case when s.state = 'RUNNING' and ${mailHeldSql} then 'PAUSED' else s.state end as send_state, s.period
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

const skipSql = `
  with ${held},
  skipped as (
    insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state, skip_reason, response, fence)
    select $1, u.id, held.period, 'CAMPAIGN', $2, $3, u.subscriber, u.email, '', 'SKIPPED', u.reason, u.detail, $5
    from unnest($6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::text[]) u(id, subscriber, email, reason, detail), held
    where held.mine on conflict do nothing returning skip_reason),
  counted as (
    update send_page p set until = ${leaseOf('$11')}, skipped = p.skipped || (
      select coalesce(jsonb_object_agg(k.skip_reason, coalesce((p.skipped ->> k.skip_reason)::int, 0) + k.n), '{}')
      from (select skip_reason, count(*)::int as n from skipped group by skip_reason) k)
    from held where ${thisPage} and held.mine)
  select mine from held`;

const deferredSql = `
  with ${held},
  deferred as (
    insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state, due_at, response, fence)
    select $1, u.id, held.period, 'CAMPAIGN', $2, $3, u.subscriber, u.email, u.subject, 'DEFERRED', ${leaseOf('u.wait')}, u.reason, $5
    from unnest($6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::float8[], $11::text[]) u(id, subscriber, email, subject, wait, reason), held
    where held.mine and held.send_state = 'RUNNING' on conflict do nothing returning 1),
  counted as (
    update send_page p set until = ${leaseOf('$12')}, deferred = p.deferred + (select count(*)::int from deferred)
    from held where ${thisPage} and held.mine)
  select mine as held, send_state from held`;

/**
 * The group commit: the last results, their message events, and the next marks in one round trip. Marks need the lease
 * and a running send. Results need only the fence that marked them, since the attempt was made. The lock on the chunk's
 * row makes a take-over wait for a commit in flight. `$24` and `$25` are the first and the last of the results' ids.
 * Messages settled together were made together, and ids are in the order of time, so only that part of the index is
 * read. The planner takes a list of ids for a filter while it counts a partition as empty, and then reads all messages
 * of the organization each time.
 */
const commitSql = `
  with ${held},
  result as materialized (
    select * from unnest($8::uuid[], $9::text[], $10::smallint[], $11::text[], $12::text[], $13::timestamptz[], $14::float8[], $15::text[])
      r(id, state, code, enhanced, response, at, wait, events)),
  settled as (
    update message m set state = r.state, code = r.code, enhanced_code = r.enhanced, response = r.response,
      accepted_at = case when r.state in ('SENT', 'DELIVERED') then r.at end,
      delivered_at = case when r.state = 'DELIVERED' then r.at end,
      due_at = case when r.state = 'DEFERRED' then ${leaseOf('r.wait')} end
    from result r
    where m.period = $6::date and m.organization_id = $1 and m.message_id between $24 and $25 and m.message_id = r.id
      and m.state = 'HANDING_OVER' and m.owner is null and m.fence = $5
    returning m.message_id, m.state, r.events),
  fact as (
    insert into outbox (outbox_id, lane, organization_id, subject, events)
    select $16, $17, $1, 'delivery', ('[' || string_agg(events, ',') || ']')::jsonb from settled where events <> ''
    having count(*) > 0),
  marking as materialized (
    select u.* from unnest($18::uuid[], $19::uuid[], $20::text[], $21::text[], $22::text[], $26::bigint[])
      u(id, subscriber, email, mailbox, subject, hash), held
    where held.mine and held.send_state = 'RUNNING'),
  guarded as (${takeGuardSql(`select $1::uuid as organization_id, mailbox, hash from marking where mailbox is not null`)}),
  allowed as materialized (
    select u.*, u.mailbox is null or g.mailbox is not null as now from marking u left join guarded g on g.mailbox = u.mailbox),
  marked as (
    insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, simulated, fence,
      state, attempts, due_at, response)
    select $1, a.id, $6::date, 'CAMPAIGN', $2, $3, a.subscriber, a.email, a.subject, a.mailbox is null, $5,
      case when a.now then 'HANDING_OVER' else 'DEFERRED' end, a.now::int,
      case when not a.now then ${guardOpensSql('$1', 'a.mailbox', 'a.hash')} end,
      case when not a.now then 'the recipient guard lets this mailbox be written to later' end
    from allowed a on conflict do nothing returning message_id, state),
  counted as (
    update send_page p set sent = p.sent + d.sent, delivered = p.delivered + d.delivered, failed = p.failed + d.failed,
      deferred = p.deferred + d.deferred + k.refused, in_doubt = p.in_doubt + d.in_doubt,
      until = case when held.mine then ${leaseOf('$7')} else p.until end,
      state = case when held.mine and $23 then 'DONE' else p.state end
    from held,
      (select count(*) filter (where state in ('SENT', 'DELIVERED'))::int as sent, count(*) filter (where state = 'DELIVERED')::int as delivered,
        count(*) filter (where state = 'FAILED')::int as failed, count(*) filter (where state = 'DEFERRED')::int as deferred,
        count(*) filter (where state = 'IN_DOUBT')::int as in_doubt from settled) d,
      (select count(*)::int as refused from marked where state = 'DEFERRED') k
    where ${thisPage})
  select mine as held, send_state, array(select message_id from settled) as settled,
    array(select message_id from marked where state = 'HANDING_OVER') as started,
    array(select message_id from marked where state = 'DEFERRED') as refused
  from held`;

export class ChunkRepository {
  constructor(
    private readonly sql: PreparedSql,
    /** The worker: a uuid of its own at each start. */
    private readonly owner: string,
    private readonly leaseSeconds: number,
    private readonly hashMailbox: HashMailbox,
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

  async renew(page: LeasedChunk): Promise<boolean> {
    const rows = await this.sql.query(
      'page renew',
      `update send_page p set until = ${leaseOf('$6')} where ${thisPage} and p.state = 'LEASED' and p.owner = $4 and p.fence = $5 returning 1`,
      [...this.#keys(page), this.leaseSeconds],
    );
    return rows.length > 0;
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

  /** @returns false if the lease was lost; then nothing was recorded */
  async insertSkipped(page: LeasedChunk, skips: readonly Skip[]): Promise<boolean> {
    const rows = await this.sql.query<{ mine: boolean }>('page skip', skipSql, [
      ...this.#keys(page),
      skips.map((skip) => skip.messageId),
      skips.map((skip) => skip.subscriberId),
      skips.map((skip) => skip.email),
      skips.map((skip) => skip.reason),
      skips.map((skip) => skip.detail),
      this.leaseSeconds,
    ]);
    return rows[0]?.mine ?? false;
  }

  /**
   * Each row is due when its backoff ends.
   * @returns as the group commit does; nothing is inserted without the lease or for a send that does not run
   */
  async insertDeferred(
    page: LeasedChunk,
    deferred: readonly Deferral[],
  ): Promise<Pick<GroupCommit, 'held' | 'sendState'>> {
    const [row] = await this.sql.query<{ held: boolean; send_state: SendState }>('page put off', deferredSql, [
      ...this.#keys(page),
      deferred.map(({ mark }) => mark.messageId),
      deferred.map(({ mark }) => mark.subscriberId),
      deferred.map(({ mark }) => mark.email),
      deferred.map(({ mark }) => mark.subject),
      deferred.map(({ wait }) => wait),
      deferred.map(({ reason }) => reason),
      this.leaseSeconds,
    ]);
    return { held: row!.held, sendState: row!.send_state };
  }

  /**
   * Commits results and marks together, and extends the lease.
   * @param group `lane`: the lane of the message events; `done`: nothing is left to do on the chunk
   */
  async commit(
    page: LeasedChunk,
    group: { settlements: readonly Settlement[]; marks: readonly Mark[]; lane: number; done: boolean },
  ): Promise<GroupCommit> {
    const { settlements, marks } = group;
    const ids = settlements.map((one) => one.messageId).sort();
    const [row] = await this.sql.query<Omit<GroupCommit, 'sendState'> & { send_state: SendState }>(
      'page commit',
      commitSql,
      [
        ...this.#keys(page),
        page.period,
        this.leaseSeconds,
        settlements.map((one) => one.messageId),
        settlements.map((one) => one.state),
        settlements.map((one) => one.code),
        settlements.map((one) => one.enhancedCode),
        settlements.map((one) => one.response),
        settlements.map((one) => one.at),
        settlements.map((one) => one.wait),
        settlements.map((one) => one.events),
        newUuid(),
        group.lane,
        marks.map((mark) => mark.messageId),
        marks.map((mark) => mark.subscriberId),
        marks.map((mark) => mark.email),
        marks.map((mark) => mark.mailbox),
        marks.map((mark) => mark.subject),
        group.done,
        ids[0],
        ids.at(-1),
        marks.map(({ mailbox }) => mailbox && this.hashMailbox(page.organizationId, mailbox)),
      ],
    );
    const { send_state: sendState, ...done } = row!;
    return { ...done, sendState };
  }

  #keys({ organizationId, sendId, pageNo, fence }: LeasedChunk): unknown[] {
    return [uuidOf('org', organizationId), uuidOf('send', sendId), pageNo, this.owner, fence];
  }
}
