import { newUuid, uuidOf, wireId } from '#database';
import { mailHeldSql } from '../../hold/mail-hold.repository.js';
import { guardOpensSql, takeGuardSql } from '../../limits/recipient-guard.repository.js';
import { kindNameSql, ledgerKinds, ledgerStates, withoutCode } from '../../message/ledger-codes.js';
import type {
  DueMark,
  DueMessage,
  DueMessages,
  DueSettlement,
  MessageKind,
  SettleFrom,
  StoredDue,
} from '../due/due-message.js';
import type { PreparedSql } from '../prepared-sql.repository.js';

const later = (seconds: string) => `clock_timestamp() + make_interval(secs => ${seconds})`;
/** No message may be sent while all mail is held; a campaign's message waits while its send is paused. */
const mayGo = (
  q: string,
) => `not ${mailHeldSql} and (${q}.send_id is null or exists (select from send s where s.organization_id = ${q}.organization_id
  and s.send_id = ${q}.send_id and s.state in ('RUNNING', 'DONE')))`;
/** A lease that ended returns the message by itself. */
const isFree = `q.state in ('QUEUED', 'DEFERRED') and (q.owner is null or q.until < clock_timestamp())`;

/** Due messages of each kind in the order of an index; rows are compared whole, as in DueMessageRepository. */
const dueOf = (leading: Record<string, string>) => {
  const row = (from: (column: string) => string) => Object.keys(leading).map(from).join(', ');
  const columns = `${row((column) => `q.${column}`)}, q.due_at`;
  const values = row((column) => leading[column]!);
  return {
    where: `(${columns}) >= (${values}, '-infinity') and (${columns}) <= (${values}, statement_timestamp())`,
    orderBy: columns,
  };
};
const kinds = 'unnest($1::"char"[]) k(kind)';
const ofKind = dueOf({ kind: 'k.kind' });
const ofKindAndVisited = dueOf({ kind: 'k.kind', organization_id: 'v.id' });

const dueSql = ({ where, orderBy }: ReturnType<typeof dueOf>, limit: string) => `
  select d.message_id, d.organization_id from ${kinds} cross join lateral (
    select q.message_id, q.organization_id, q.due_at from message_queue q
    where ${where} and ${isFree} and ${mayGo('q')}
    order by ${orderBy} limit ${limit} for no key update of q skip locked) d
  order by d.due_at limit ${limit}`;

const claimedSql = `
  update message_queue q set owner = $3, fence = q.fence + 1, until = ${later('$4')}
  from due d where q.message_id = d.message_id
  returning q.message_id, q.organization_id, ${kindNameSql('q.kind')} as kind, q.send_id, q.attempts, q.fence::text as fence`;

/** The messages behind claimed rows of the queue; those are read after the claim, so none is missing. */
const withMessageSql = `
  m.subscriber_id, m.email, m.simulated, ('x' || right(c.message_id::text, 8))::bit(32)::int >> 10 as chunk`;

const claimSql = `with due as materialized (${dueSql(ofKind, '$2')}), claimed as (${claimedSql})
  select c.*, ${withMessageSql} from claimed c join campaign_message m on m.message_id = c.message_id`;

/** Organizations that one claim of the rotation checks; most of them have nothing due now. */
const visitedMax = 32;

const nextOrganization = (after: string) => `(
  select n.organization_id from ${kinds} cross join lateral (
    select q.organization_id from message_queue q
    where (q.kind, q.organization_id) > (k.kind, ${after}) and q.kind <= k.kind
    order by q.kind, q.organization_id limit 1) n
  order by n.organization_id limit 1)`;

/** Claims some messages of each organization, from the first one after `$5` on; see DueMessageRepository. */
const claimFairSql = `
  with recursive visit(id, place) as (
    select ${nextOrganization('$5::uuid')}, 1
    union all
    select ${nextOrganization('v.id')}, v.place + 1 from visit v where v.id is not null and v.place < ${visitedMax}),
  waiting as materialized (
    select v.id from visit v cross join lateral (
      select 1 from ${kinds} cross join lateral (
        select 1 from message_queue q where ${ofKindAndVisited.where} and ${isFree} order by ${ofKindAndVisited.orderBy} limit 1) d
      limit 1) something),
  share as materialized (select ceil($2::float8 / nullif(count(*), 0))::int as most from waiting),
  due as materialized (
    select d.* from waiting v cross join lateral (${dueSql(ofKindAndVisited, '(select most from share)')}) d
    order by d.organization_id limit $2),
  claimed as (${claimedSql})
  select v.visited, v.ended, c.*, ${withMessageSql}
  from (select (array_agg(id order by place desc) filter (where id is not null))[1] as visited, bool_or(id is null) as ended from visit) v
  left join (claimed c join campaign_message m on m.message_id = c.message_id) on true order by c.organization_id`;

/** Only messages that this returns may be put on the wire. A message that the guard refuses waits for its window. */
const markSql = `
  with asked as (
    select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $8::bigint[])
      a(organization_id, message_id, fence, mailbox, hash)),
  open as materialized (
    select a.* from (select * from asked order by message_id) a cross join lateral (
      select from message_queue q where q.message_id = a.message_id and q.organization_id = a.organization_id
        and q.owner = $5 and q.fence = a.fence and q.state in ('QUEUED', 'DEFERRED') and q.until > clock_timestamp() and ${mayGo('q')}
      for no key update of q) q),
  guarded as (${takeGuardSql(`select organization_id, mailbox, hash from open where mailbox is not null`)}),
  allowed as materialized (
    select o.*, o.mailbox is null or g.mailbox is not null as now
    from open o left join guarded g on g.organization_id = o.organization_id and g.mailbox = o.mailbox),
  marked as (
    update message_queue q set attempts = q.attempts + a.now::int, relay_id = case when a.now then $7 else q.relay_id end,
      state = case when a.now then 'ATTEMPTING' else q.state end,
      owner = case when a.now then q.owner end, until = case when a.now then ${later('$6')} end,
      due_at = case when a.now then q.due_at else ${guardOpensSql('a.organization_id', 'a.mailbox', 'a.hash')} end
    from allowed a where q.message_id = a.message_id returning q.message_id, a.now)
  select message_id, now as started from marked`;

/**
 * Keeps the guard from counting a message again for this attempt: it counted the first one, by the ledger if it was made
 * in the chunk, by a row of its own if it was made from the queue.
 */
const countedOnceSql = (attempt: string): string =>
  `counted_at = case when ${attempt}.attempts > 1 then coalesce(m.counted_at, m.attempted_at) when m.attempted_at is null then '-infinity' else m.counted_at end`;

/** Counts ends `e` of messages in the rows of their chunks, which are locked in order after the messages. */
const countedSql = (changes: string) => `
  change as (
    select e.organization_id, e.send_id, ('x' || right(e.message_id::text, 8))::bit(32)::int >> 10 as page_no, count(*)::int as n,
      count(*) filter (where e.state in ('S', 'D'))::int as sent, count(*) filter (where e.state = 'D')::int as delivered,
      count(*) filter (where e.state = 'F')::int as failed, count(*) filter (where e.state = 'W')::int as deferred,
      count(*) filter (where e.state = 'I')::int as in_doubt, array_agg(e.skip_reason) filter (where e.state = 'K') as skips
    from ended e where e.send_id is not null group by 1, 2, 3),
  page as materialized (
    select p.organization_id, p.send_id, p.page_no from send_page p join change c using (organization_id, send_id, page_no)
    order by p.organization_id, p.send_id, p.page_no for no key update of p),
  counted as (
    update send_page p set ${changes}, settled_at = clock_timestamp()
    from change c join page using (organization_id, send_id, page_no)
    where p.organization_id = c.organization_id and p.send_id = c.send_id and p.page_no = c.page_no)`;
const outcomesSql = `sent = p.sent + c.sent, delivered = p.delivered + c.delivered, failed = p.failed + c.failed,
      skipped = p.skipped || coalesce((
        select jsonb_object_agg(k.reason, coalesce((p.skipped ->> k.reason)::int, 0) + k.n)
        from (select reason, count(*)::int as n from unnest(c.skips) reason group by reason) k), '{}')`;

/**
 * Records outcomes, their events, and the counters of their chunks. `$1` the states of the queue they must be in; none:
 * the message is in doubt by that very attempt, as its number says, and its row of the queue is gone.
 */
const settleSql = (isLate: boolean) => `
  with result as materialized (
    select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::smallint[], $7::text[], $8::smallint[], $9::text[],
      $10::timestamptz[], $11::float8[], $12::text[], $13::text[], $14::uuid[], $15::smallint[])
      r(organization_id, message_id, owner, fence, attempt, state, code, response, at, wait, skip_reason, events, outbox_id, lane)
    order by message_id),
  ${
    isLate
      ? `held as materialized (
    select r.*, (left(r.message_id::text, 28) || '00000000')::uuid as send_id, 'C'::"char" as kind, r.attempt as attempts, m.relay_id, true as attempted
    from result r cross join lateral (
      select m.message_id, m.relay_id from campaign_message m where m.message_id = r.message_id and m.organization_id = r.organization_id
        and m.state = 'I' and m.attempts = r.attempt and cardinality($1::text[]) = 0 for no key update of m) m),
  queued as (
    insert into message_queue (message_id, organization_id, kind, send_id, due_at, attempts, state)
    select h.message_id, h.organization_id, h.kind, h.send_id, ${later('h.wait')}, h.attempts, 'DEFERRED' from held h
    where h.state = 'W' on conflict do nothing),`
      : `held as materialized (
    select r.*, q.send_id, q.kind, q.attempts, q.relay_id, q.state = 'ATTEMPTING' as attempted from result r cross join lateral (
      select q.send_id, q.kind, q.attempts, q.relay_id, q.state from message_queue q where q.message_id = r.message_id
        and q.organization_id = r.organization_id and q.state = any($1::text[]) and q.owner = r.owner and q.fence = r.fence
      for no key update of q) q),
  gone as (delete from message_queue q using held h where h.state <> 'W' and q.message_id = h.message_id),
  again as (
    update message_queue q set state = 'DEFERRED', owner = null, until = null, due_at = ${later('h.wait')}
    from held h where h.state = 'W' and q.message_id = h.message_id),`
  }
  ended as (
    update campaign_message m set state = h.state::"char", code = h.code, response = h.response, skip_reason = h.skip_reason,
      attempts = h.attempts, relay_id = coalesce(h.relay_id, m.relay_id),
      attempted_at = case when h.attempted then h.at else m.attempted_at end, ${countedOnceSql('h')}
    from held h where m.message_id = h.message_id and m.organization_id = h.organization_id
    returning m.organization_id, h.send_id, m.message_id, m.state, m.skip_reason, h.events, h.outbox_id, h.lane),
  fact as (
    insert into outbox (outbox_id, lane, organization_id, subject, events)
    select outbox_id, lane, organization_id, 'delivery', ('[' || string_agg(events, ',') || ']')::jsonb
    from ended where events <> '' group by outbox_id, lane, organization_id),
  ${countedSql(
    isLate
      ? `${outcomesSql}, deferred = p.deferred + c.deferred, in_doubt = p.in_doubt + c.in_doubt - c.n`
      : `${outcomesSql}, deferred = p.deferred + c.deferred - c.n, in_doubt = p.in_doubt + c.in_doubt`,
  )}
  select message_id from ended`;

/** Attempts of workers that went away: in doubt for mail that must not arrive twice, due again for test addresses. */
const takeOverSql = `
  with gone as materialized (
    select q.message_id, q.organization_id, q.send_id, q.attempts, q.relay_id from message_queue q
    where q.kind = any($1::"char"[]) and q.owner is not null and q.until < statement_timestamp() and q.state = 'ATTEMPTING'
    order by q.until limit 500 for no key update of q skip locked),
  ended as (
    update campaign_message m set state = case when m.simulated then 'W' else 'I' end::"char", attempts = g.attempts,
      relay_id = coalesce(g.relay_id, m.relay_id), attempted_at = clock_timestamp(), ${countedOnceSql('g')}, code = null,
      response = 'the process that handed it over went away'
    from gone g where m.message_id = g.message_id and m.organization_id = g.organization_id
    returning m.organization_id, g.send_id, m.message_id, m.state, m.skip_reason),
  forgotten as (delete from message_queue q using ended e where e.state = 'I' and q.message_id = e.message_id),
  again as (
    update message_queue q set state = 'DEFERRED', owner = null, until = null, due_at = clock_timestamp()
    from ended e where e.state = 'W' and q.message_id = e.message_id),
  ${countedSql(`deferred = p.deferred - c.in_doubt, in_doubt = p.in_doubt + c.in_doubt`)}
  select count(*)::int as moved, count(*) filter (where state = 'I')::int as doubted from ended`;

const beforeAll = '00000000-0000-0000-0000-000000000000';
const queueStates: Record<SettleFrom, string[]> = {
  attempted: ['ATTEMPTING'],
  claimed: ['QUEUED', 'DEFERRED'],
  doubted: [],
};

interface Row {
  organization_id: string;
  message_id: string;
  kind: MessageKind;
  send_id: string | null;
  chunk: number;
  subscriber_id: string | null;
  email: string;
  attempts: number;
  simulated: boolean;
  fence: string;
}

/** The queue of what is left to do for messages of the ledger. */
export class QueuedMessageRepository implements DueMessages {
  constructor(
    private readonly sql: PreparedSql,
    private readonly owner: string,
    private readonly leaseSeconds: number,
  ) {}

  async claim(of: readonly MessageKind[], limit: number): Promise<DueMessage[]> {
    const parameters = [codesOf(of), limit, this.owner, this.leaseSeconds];
    return (await this.sql.query<Row>('queue claim', claimSql, parameters)).map((row) => this.#messageOf(row));
  }

  async claimInTurn(
    of: readonly MessageKind[],
    limit: number,
    after: string | null,
  ): Promise<{ messages: DueMessage[]; after: string | null }> {
    const rows = await this.sql.query<Row & { visited: string | null; ended: boolean }>(
      'queue claim in turn',
      claimFairSql,
      [codesOf(of), limit, this.owner, this.leaseSeconds, after ?? beforeAll],
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
      period: '',
      kind: row.kind,
      sendId: row.send_id && wireId('send', row.send_id),
      pageNo: row.chunk,
      subscriberId: row.subscriber_id,
      email: row.email,
      attempts: row.attempts,
      simulated: row.simulated,
      owner: this.owner,
      fence: row.fence,
    };
  }

  /** The messages of campaigns are rendered from the template of their send. */
  listStored(): Promise<Map<string, StoredDue>> {
    return Promise.resolve(new Map());
  }

  async updateAttempting(
    marks: readonly DueMark[],
    relayId: number,
  ): Promise<{ started: Set<string>; refused: number }> {
    const rows = await this.sql.query<{ message_id: string; started: boolean }>('queue mark', markSql, [
      marks.map(({ message }) => uuidOf('org', message.organizationId)),
      marks.map(({ message }) => message.messageId),
      marks.map(({ message }) => message.fence),
      marks.map(({ mailbox }) => mailbox?.key ?? null),
      ...[this.owner, this.leaseSeconds, relayId],
      marks.map(({ mailbox }) => mailbox?.hash ?? null),
    ]);
    const started = new Set(rows.filter((row) => row.started).map((row) => row.message_id));
    return { started, refused: rows.length - started.size };
  }

  async settle(from: SettleFrom, settlements: readonly DueSettlement[]): Promise<Set<string>> {
    const batches = new Map<string, string>();
    const batchOf = ({ message, lane }: DueSettlement) => {
      const key = `${message.organizationId} ${lane}`;
      const id = batches.get(key) ?? newUuid();
      batches.set(key, id);
      return id;
    };
    const isLate = from === 'doubted';
    const rows = await this.sql.query<{ message_id: string }>(
      isLate ? 'queue settle late' : 'queue settle',
      settleSql(isLate),
      [
        queueStates[from],
        settlements.map(({ message }) => uuidOf('org', message.organizationId)),
        settlements.map(({ message }) => message.messageId),
        settlements.map(({ message }) => message.owner),
        settlements.map(({ message }) => message.fence),
        settlements.map(({ message }) => message.attempts + 1),
        settlements.map(({ state }) => ledgerStates[state]),
        settlements.map(({ code }) => code),
        settlements.map(({ code, response }) => withoutCode(code, response)),
        settlements.map(({ at }) => at),
        settlements.map(({ wait }) => wait),
        settlements.map(({ skipReason }) => skipReason),
        settlements.map(({ events }) => events),
        settlements.map(batchOf),
        settlements.map(({ lane }) => lane),
      ],
    );
    return new Set(rows.map((row) => row.message_id));
  }

  async renew(messages: readonly DueMessage[]): Promise<void> {
    await this.sql.query(
      'queue renew',
      `update message_queue q set until = ${later('$3')} from unnest($1::uuid[]) a(message_id)
       where q.message_id = a.message_id and q.owner = $2 and q.state = 'ATTEMPTING'`,
      [messages.map(({ messageId }) => messageId), this.owner, this.leaseSeconds],
    );
  }

  async takeOver(of: readonly MessageKind[]): Promise<{ moved: number; doubted: number }> {
    const [row] = await this.sql.query<{ moved: number; doubted: number }>('queue take over', takeOverSql, [
      codesOf(of),
    ]);
    return row!;
  }
}

const codesOf = (of: readonly MessageKind[]): string[] => of.map((kind) => ledgerKinds[kind]);
