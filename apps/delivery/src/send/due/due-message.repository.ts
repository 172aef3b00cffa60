import { newUuid, uuidOf, wireId } from '#database';
import { guardOpensSql, takeGuardSql } from '../../limits/recipient-guard.repository.js';
import { mailHeldSql } from '../../hold/mail-hold.repository.js';
import type { StoredMessage } from '../../message/stored-message.js';
import type { PreparedSql } from '../prepared-sql.repository.js';
import { settleFrom } from './due-message.js';
import type { DueMark, DueMessage, DueMessages, DueSettlement, MessageClaim, MessageKind } from './due-message.js';
import type { SettleFrom, StoredDue } from './due-message.js';

const later = (seconds: string) => `clock_timestamp() + make_interval(secs => ${seconds})`;
const sameRow = (a: string, b: string) =>
  `${a}.period = ${b}.period and ${a}.organization_id = ${b}.organization_id and ${a}.message_id = ${b}.message_id`;
/** No message may be sent while all mail is held; a campaign's message waits while its send is paused. */
const mayGo = (
  m: string,
) => `not ${mailHeldSql} and (${m}.send_id is null or exists (select from send s where s.organization_id = ${m}.organization_id
  and s.send_id = ${m}.send_id and s.state in ('RUNNING', 'DONE')))`;

/**
 * Due messages of one kind (and organization), the longest waiting first. Rows are compared whole with the leading
 * columns of an index, so that no other index is in this order. Until a month is analysed, every index promises equally
 * few rows, and some would read all waiting messages. Each kind has its own statement, since an index is in the order
 * of time for one kind. The upper bound is the statement's start, which does not advance.
 */
const dueOf = (leading: Record<string, string>) => {
  const row = (from: (column: string) => string) => Object.keys(leading).map(from).join(', ');
  const columns = `${row((column) => `m.${column}`)}, m.due_at`;
  const values = row((column) => leading[column]!);
  return {
    where: `m.due_at is not null and (${columns}) >= (${values}, '-infinity') and (${columns}) <= (${values}, statement_timestamp())`,
    orderBy: columns,
  };
};
const ofKind = dueOf({ kind: 'k.kind' });

const dueSql = ({ where, orderBy }: ReturnType<typeof dueOf>, limit: string) => `
  select d.period, d.organization_id, d.message_id from unnest($1::text[]) k(kind) cross join lateral (
    select m.period, m.organization_id, m.message_id, m.due_at from message m
    where ${where} and m.state in ('QUEUED', 'DEFERRED') and ${mayGo('m')}
    order by ${orderBy} limit ${limit} for no key update of m skip locked) d
  order by d.due_at limit ${limit}`;

/**
 * Claims what `due` names. While a message is held, `due_at` is the end of the lease: a worker that goes away gives it
 * back by saying nothing.
 */
const claimedSql = `
  update message m set owner = $3, fence = m.fence + 1, due_at = ${later('$4')}
  from due d where ${sameRow('m', 'd')}
  returning m.organization_id, m.message_id, m.period::text as period, m.kind, m.send_id, m.page_no, m.subscriber_id, m.email,
    m.attempts, m.simulated, m.fence::text as fence`;

const claimSql = `with due as materialized (${dueSql(ofKind, '$2')}) ${claimedSql}`;

/** Organizations that one claim of the rotation checks; most of them have nothing due now. */
const visitedMax = 32;

const nextOrganization = (after: string) => `(
  select n.organization_id from unnest($1::text[]) k(kind) cross join lateral (
    select m.organization_id from message m
    where m.due_at is not null and (m.kind, m.organization_id) > (k.kind, ${after}) and m.kind <= k.kind
    order by m.kind, m.organization_id limit 1) n
  order by n.organization_id limit 1)`;
const ofKindAndVisited = dueOf({ kind: 'k.kind', organization_id: 'v.id' });

/**
 * Claims some messages of each organization, from the first organization after `$5` on. `ended`: none was left to check
 * after `visited`.
 */
const claimFairSql = `
  with recursive visit(id, place) as (
    select ${nextOrganization('$5::uuid')}, 1
    union all
    select ${nextOrganization('v.id')}, v.place + 1 from visit v where v.id is not null and v.place < ${visitedMax}),
  waiting as materialized (
    select v.id from visit v cross join lateral (
      select 1 from unnest($1::text[]) k(kind) cross join lateral (
        select 1 from message m where ${ofKindAndVisited.where} order by ${ofKindAndVisited.orderBy} limit 1) d
      limit 1) something),
  share as materialized (select ceil($2::float8 / nullif(count(*), 0))::int as most from waiting),
  due as materialized (
    select d.* from waiting v cross join lateral (
      ${dueSql(ofKindAndVisited, '(select most from share)')}) d
    order by d.organization_id limit $2),
  claimed as (${claimedSql})
  select v.visited, v.ended, c.*
  from (select (array_agg(id order by place desc) filter (where id is not null))[1] as visited, bool_or(id is null) as ended from visit) v
  left join claimed c on true order by c.organization_id`;

const storedSql = `
  select m.message_id, m.subject, c.headers, c.raw
  from unnest($1::uuid[], $2::uuid[], $3::date[]) a(organization_id, message_id, period)
  join message m on ${sameRow('m', 'a')} join message_content c on ${sameRow('c', 'a')}`;

/**
 * Only messages that this returns may be put on the wire. A message that the guard refuses waits for its window.
 * `coalesce` keeps the planner from the indexes of due messages, which it takes for empty until a month is analysed.
 */
const markSql = `
  with asked as (
    select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::bigint[], $5::text[], $6::text[], $9::bigint[])
      a(organization_id, message_id, period, fence, subject, mailbox, hash)),
  open as materialized (
    select a.*, m.simulated from (select * from asked order by organization_id, message_id) a cross join lateral (
      select m.simulated from message m where ${sameRow('m', 'a')}
        and m.owner = $7 and m.fence = a.fence and m.state in ('QUEUED', 'DEFERRED')
        and coalesce(m.due_at, '-infinity') > clock_timestamp() and ${mayGo('m')}
      for no key update of m) m),
  guarded as (${takeGuardSql(`select organization_id, mailbox, hash from open where mailbox is not null`)}),
  allowed as materialized (
    select o.*, o.mailbox is null or g.mailbox is not null as now
    from open o left join guarded g on g.organization_id = o.organization_id and g.mailbox = o.mailbox),
  marked as (
    update message m set subject = a.subject, attempts = m.attempts + a.now::int,
      state = case when a.now then 'HANDING_OVER' else m.state end,
      owner = case when a.now then m.owner end,
      due_at = case when a.now then ${later('$8')} else ${guardOpensSql('a.organization_id', 'a.mailbox', 'a.hash')} end
    from allowed a where ${sameRow('m', 'a')} returning m.message_id, m.state)
  select message_id, state = 'HANDING_OVER' as started from marked`;

/** CTEs that lock the chunks of `change c`, in order, and change their counters. */
const countedSql = (changes: string) => `page as materialized (
    select p.organization_id, p.send_id, p.page_no from send_page p join change c using (organization_id, send_id, page_no)
    order by p.organization_id, p.send_id, p.page_no for no key update of p),
  counted as (
    update send_page p set ${changes}
    from change c join page using (organization_id, send_id, page_no)
    where p.organization_id = c.organization_id and p.send_id = c.send_id and p.page_no = c.page_no)`;

/**
 * Records the outcomes of messages, their events, and the counters of their chunks; the chunks are locked in order
 * first. `$1` the states they must be in.
 */
const settleSql = `
  with result as materialized (
    select * from unnest($2::uuid[], $3::uuid[], $4::date[], $5::uuid[], $6::bigint[], $7::text[], $8::smallint[], $9::text[], $10::text[],
      $11::timestamptz[], $12::float8[], $13::text[], $14::text[], $15::uuid[], $16::smallint[])
      r(organization_id, message_id, period, owner, fence, state, code, enhanced, response, at, wait, skip_reason, events, outbox_id, lane)),
  settled as (
    update message m set state = r.state, code = r.code, enhanced_code = r.enhanced, response = r.response, skip_reason = r.skip_reason,
      accepted_at = case when r.state in ('SENT', 'DELIVERED') then r.at end,
      delivered_at = case when r.state = 'DELIVERED' then r.at end,
      owner = null, due_at = case when r.state = 'DEFERRED' then ${later('r.wait')} end
    from result r
    where ${sameRow('m', 'r')} and m.state = any($1::text[]) and m.owner = r.owner and m.fence = r.fence
    returning m.organization_id, m.message_id, m.send_id, m.page_no, m.state, m.skip_reason, r.events, r.outbox_id, r.lane),
  fact as (
    insert into outbox (outbox_id, lane, organization_id, subject, events)
    select outbox_id, lane, organization_id, 'delivery', ('[' || string_agg(events, ',') || ']')::jsonb
    from settled where events <> '' group by outbox_id, lane, organization_id),
  change as (
    select organization_id, send_id, page_no, count(*)::int as n,
      count(*) filter (where state in ('SENT', 'DELIVERED'))::int as sent, count(*) filter (where state = 'DELIVERED')::int as delivered,
      count(*) filter (where state = 'FAILED')::int as failed, count(*) filter (where state = 'DEFERRED')::int as deferred,
      count(*) filter (where state = 'IN_DOUBT')::int as in_doubt, array_agg(skip_reason) filter (where state = 'SKIPPED') as skips
    from settled where page_no is not null group by organization_id, send_id, page_no),
  ${countedSql(`sent = p.sent + c.sent, delivered = p.delivered + c.delivered, failed = p.failed + c.failed,
      deferred = p.deferred + c.deferred - case when 'IN_DOUBT' = any($1::text[]) then 0 else c.n end,
      in_doubt = p.in_doubt + c.in_doubt - case when 'IN_DOUBT' = any($1::text[]) then c.n else 0 end,
      skipped = p.skipped || coalesce((
        select jsonb_object_agg(k.reason, coalesce((p.skipped ->> k.reason)::int, 0) + k.n)
        from (select reason, count(*)::int as n from unnest(c.skips) reason group by reason) k), '{}')`)}
  select message_id from settled`;

/**
 * What a worker that went away had marked: in doubt for mail that must not arrive twice, due again for mail that must
 * arrive (with the Message-ID it had) and for test addresses.
 */
const takeOverSql = `
  with gone as (
    select m.period, m.organization_id, m.message_id from message m
    where m.kind = any($1::text[]) and m.owner is not null and m.due_at < statement_timestamp() and m.state = 'HANDING_OVER'
    order by m.due_at limit 500 for no key update of m skip locked),
  moved as (
    update message m set
      state = case when m.simulated then 'DEFERRED' when m.kind in ('CAMPAIGN', 'WORKFLOW') then 'IN_DOUBT' else 'QUEUED' end,
      due_at = case when m.simulated or m.kind not in ('CAMPAIGN', 'WORKFLOW') then clock_timestamp() end,
      response = 'the process that handed it over went away'
    from gone g where ${sameRow('m', 'g')} returning m.organization_id, m.send_id, m.page_no, m.state),
  change as (
    select organization_id, send_id, page_no, count(*)::int as n from moved
    where state = 'IN_DOUBT' and page_no is not null group by organization_id, send_id, page_no),
  ${countedSql('deferred = p.deferred - c.n, in_doubt = p.in_doubt + c.n')}
  select count(*)::int as moved, count(*) filter (where state = 'IN_DOUBT')::int as doubted from moved`;

const beforeAll = '00000000-0000-0000-0000-000000000000';

interface Row {
  organization_id: string;
  message_id: string;
  period: string;
  kind: MessageKind;
  send_id: string | null;
  page_no: number | null;
  subscriber_id: string | null;
  email: string;
  attempts: number;
  simulated: boolean;
  fence: string;
}

interface StoredRow {
  message_id: string;
  subject: string;
  headers: Omit<StoredMessage, 'raw'>;
  raw: Buffer;
}

export class DueMessageRepository implements DueMessages {
  constructor(
    private readonly sql: PreparedSql,
    private readonly owner: string,
    private readonly leaseSeconds: number,
  ) {}

  async claim(kinds: readonly MessageKind[], limit: number): Promise<DueMessage[]> {
    const rows = await this.sql.query<Row>('due claim', claimSql, [kinds, limit, this.owner, this.leaseSeconds]);
    return rows.map((row) => this.#messageOf(row));
  }

  /**
   * Claims due messages, a share of each organization's, so that none waits behind a larger one.
   * @param after the organization that was served last; null to begin with the first
   * @returns `after`: the one served now; null when all were served
   */
  async claimInTurn(
    kinds: readonly MessageKind[],
    limit: number,
    after: string | null,
  ): Promise<{ messages: DueMessage[]; after: string | null }> {
    const rows = await this.sql.query<Row & { visited: string | null; ended: boolean }>(
      'due claim in turn',
      claimFairSql,
      [kinds, limit, this.owner, this.leaseSeconds, after ?? beforeAll],
    );
    const { visited, ended } = rows[0]!;
    const claimed = rows.filter(({ message_id }) => message_id !== null);
    // At the limit, organizations after the last claimed one were visited too, but none of their messages was claimed.
    const last = claimed.length === limit ? claimed.at(-1)!.organization_id : visited;
    return { messages: claimed.map((row) => this.#messageOf(row)), after: ended && last === visited ? null : last };
  }

  #messageOf(row: Row): DueMessage {
    return {
      organizationId: wireId('org', row.organization_id),
      messageId: row.message_id,
      period: row.period,
      kind: row.kind,
      sendId: row.send_id && wireId('send', row.send_id),
      pageNo: row.page_no,
      subscriberId: row.subscriber_id,
      email: row.email,
      attempts: row.attempts,
      simulated: row.simulated,
      owner: this.owner,
      fence: row.fence,
    };
  }

  /** Loads stored messages with their subjects, by id; a message whose content was deleted is omitted. */
  async listStored(messages: readonly MessageClaim[]): Promise<Map<string, StoredDue>> {
    if (messages.length === 0) return new Map();
    const rows = await this.sql.query<StoredRow>('due stored', storedSql, keysOf(messages));
    return new Map(rows.map(({ message_id, subject, headers, raw }) => [message_id, { ...headers, subject, raw }]));
  }

  /**
   * Writes the attempt marks.
   * @returns `started`: the ids that may be put on the wire, and no others; `refused`: how many the guard deferred
   */
  async updateAttempting(marks: readonly DueMark[]): Promise<{ started: Set<string>; refused: number }> {
    const rows = await this.sql.query<{ message_id: string; started: boolean }>('due mark', markSql, [
      ...keysOf(marks.map(({ message }) => message)),
      marks.map(({ message }) => message.fence),
      marks.map(({ subject }) => subject),
      marks.map(({ mailbox }) => mailbox?.key ?? null),
      this.owner,
      this.leaseSeconds,
      marks.map(({ mailbox }) => mailbox?.hash ?? null),
    ]);
    const started = new Set(rows.filter((row) => row.started).map((row) => row.message_id));
    return { started, refused: rows.length - started.size };
  }

  /** Records the outcomes of messages. @returns the ids that were in one of those states and this claim's own */
  async settle(from: SettleFrom, settlements: readonly DueSettlement[]): Promise<Set<string>> {
    const envelopes = new Map<string, string>();
    const envelopeOf = ({ message, lane }: DueSettlement) => {
      const key = `${message.organizationId} ${lane}`;
      const id = envelopes.get(key) ?? newUuid();
      envelopes.set(key, id);
      return id;
    };
    const rows = await this.sql.query<{ message_id: string }>('due settle', settleSql, [
      settleFrom[from],
      ...keysOf(settlements.map(({ message }) => message)),
      settlements.map(({ message }) => message.owner),
      settlements.map(({ message }) => message.fence),
      settlements.map((one) => one.state),
      settlements.map((one) => one.code),
      settlements.map((one) => one.enhancedCode),
      settlements.map((one) => one.response),
      settlements.map((one) => one.at),
      settlements.map((one) => one.wait),
      settlements.map((one) => one.skipReason),
      settlements.map((one) => one.events),
      settlements.map(envelopeOf),
      settlements.map((one) => one.lane),
    ]);
    return new Set(rows.map((row) => row.message_id));
  }

  async renew(messages: readonly MessageClaim[]): Promise<void> {
    await this.sql.query(
      'due renew',
      `update message m set due_at = ${later('$5')}
       from unnest($1::uuid[], $2::uuid[], $3::date[]) a(organization_id, message_id, period)
       where ${sameRow('m', 'a')} and m.owner = $4 and m.state = 'HANDING_OVER'`,
      [...keysOf(messages), this.owner, this.leaseSeconds],
    );
  }

  /** Takes over unfinished attempts of workers that died. @returns how many, and how many of them this put in doubt */
  async takeOver(kinds: readonly MessageKind[]): Promise<{ moved: number; doubted: number }> {
    const [row] = await this.sql.query<{ moved: number; doubted: number }>('due take over', takeOverSql, [kinds]);
    return row!;
  }
}

const keysOf = (messages: readonly MessageClaim[]): [unknown[], string[], string[]] => [
  messages.map(({ organizationId }) => uuidOf('org', organizationId)),
  messages.map(({ messageId }) => messageId),
  messages.map(({ period }) => period),
];
