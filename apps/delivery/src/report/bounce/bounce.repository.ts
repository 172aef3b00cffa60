import { newUuid, uuidOf } from '#database';
import type { Sql } from '#database';
import { AttemptMarkRepository } from '../../message/attempt-mark.repository.js';
import { rangeOf } from '../../message/id-range.js';
import { identityColumns, identityOf, ledgerIdentityColumns, ledgerSend } from '../../message/identity.repository.js';
import type { IdentityRow } from '../../message/identity.repository.js';
import { ledgerStates, responseSql, stateNameSql, withoutCode } from '../../message/ledger-codes.js';
import type { LedgerState } from '../../message/ledger-codes.js';
import { codeOf } from '../../message/ledger-rows.js';
import { byLayout } from '../../message/message-layout.repository.js';
import type { MessageIdentity, MessageState } from '../../message/message.js';
import { addToTotalsSql, totalsChunk } from '../../send/chunk/ended-chunk.repository.js';
import type { CounterChanges } from './feedback.js';

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
  /** The keyed hash of the address, where that is erased. */
  addressHash: string | null;
  response: string | null;
}

interface KeyRow {
  organization_id: string;
  message_id: string;
  month: string;
}

interface Row extends IdentityRow {
  month: string;
  kind: string;
  address_hash: string | null;
  state: MessageState;
  attempts: number;
  response: string | null;
}

/** So much of a report is kept. */
export const reportLengthMax = 64 * 1024;

export interface MessageChange {
  message: ReportedMessage;
  /** The enhanced code of the last bounce; null keeps the stored one. */
  status: string | null;
  /** Reports to keep, so that members can see the reason; only their beginnings are kept. */
  reports: readonly { kind: string; raw: string }[];
  counters: CounterChanges;
}

const named =
  'named as materialized (select distinct * from unnest($1::uuid[], $2::uuid[], $3::date[]) n(organization_id, message_id, period))';

const reported = (state: string) => `
  select ${identityColumns}, to_char(m.period, 'YYYY-MM') as month, m.kind, m.address_hash, m.state, m.attempts, m.response
  from named n join message m on m.period = n.period and m.organization_id = n.organization_id and m.message_id = n.message_id
  left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
  where m.period between $4 and $5 and not m.simulated and m.state ${state}`;

/** SQL: `reported` of the ledger; `state`: a condition on `q`, the message's row in the queue. */
const reportedByPosition = (state: string, name: string) => `
  select ${ledgerIdentityColumns}, to_char(month_of_uuid(m.message_id), 'YYYY-MM') as month, 'CAMPAIGN' as kind, m.address_hash,
    ${name} as state, coalesce(q.attempts, m.attempts) as attempts, nullif(${responseSql('m')}, '') as response
  from named n join campaign_message m on m.message_id = n.message_id and m.organization_id = n.organization_id join ${ledgerSend}
  left join message_queue q on q.message_id = m.message_id
  where m.message_id between $4 and $5 and not m.simulated and ${state}`;

/** SQL by layout; `$4` and `$5`: the least and the greatest key of partitions. */
const listSql = [
  `with ${named},
   settled as (${reported(`<> 'HANDING_OVER'`)} order by m.organization_id, m.message_id for no key update of m)
   select * from settled union all ${reported(`= 'HANDING_OVER'`)}`,
  `with ${named},
   settled as (
     ${reportedByPosition(`q.state is distinct from 'ATTEMPTING'`, stateNameSql('m.state'))}
     order by m.message_id for no key update of m)
   select * from settled union all ${reportedByPosition(`q.state = 'ATTEMPTING'`, `'HANDING_OVER'`)}`,
];

/** Reads and changes messages that bounced or were reported; used inside one transaction. */
export class BounceRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Locks messages, in order. Messages with a delivery attempt in progress are read without a lock, so that neither
   * this call nor their worker waits for the other.
   * @returns by their ids; without ids of no message, and without messages that never left
   */
  async listForUpdate(keys: readonly MessageKey[]): Promise<Map<string, ReportedMessage>> {
    const messages = new Map<string, ReportedMessage>();
    for (const { layout, some } of byLayout(keys, ({ messageId }) => messageId)) {
      const rows: Row[] = await this.sql.query(listSql[layout]!, [
        ...keysOf(some),
        ...rangeOf(some.map(({ messageId, period }) => (layout === 0 ? `${period}-01` : messageId))),
      ]);
      for (const row of rows) messages.set(row.message_id, messageOf(row));
    }
    return messages;
  }

  /** @returns the ids of messages that are being sent, of which a report has to come again */
  async listOpen(keys: readonly MessageKey[]): Promise<Set<string>> {
    return await new AttemptMarkRepository(this.sql).listOpen(keys);
  }

  /**
   * Finds messages by their ids alone, as Message-IDs give them.
   * @returns by their ids; an id by position also before its message has a row
   */
  async listKeys(messageIds: readonly string[]): Promise<Map<string, MessageKey>> {
    const rows: KeyRow[] = [];
    for (const { layout, some } of byLayout(messageIds, (id) => id))
      rows.push(...(layout === 0 ? await this.#listOldKeys(some) : await this.#listKeysByPosition(some)));
    return new Map(
      rows.map(({ organization_id: organizationId, message_id: messageId, month: period }) => [
        messageId,
        { organizationId, messageId, period },
      ]),
    );
  }

  /** Also of messages without a row so far: the send leads to the organization. */
  async #listKeysByPosition(messageIds: readonly string[]): Promise<KeyRow[]> {
    return await this.sql.query(
      `select s.organization_id, i.id as message_id, to_char(month_of_uuid(i.id), 'YYYY-MM') as month
       from (select distinct unnest($1::uuid[]) as id) i join send s on s.send_id = send_of_message(i.id) and s.layout = 1`,
      [messageIds],
    );
  }

  /**
   * Messages without an id by position are filed by month and organization: the month is that of the id or, for a send
   * that began before, the one before it, and each organization of it is looked up.
   */
  async #listOldKeys(messageIds: readonly string[]): Promise<KeyRow[]> {
    return await this.sql.query(
      `with recursive id as materialized (
         select id, date_trunc('month', to_timestamp(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date as day
         from (select distinct unnest($1::uuid[]) as id) i),
       period as (select day from id union select (day - interval '1 month')::date from id),
       owner as (
         select day, (select m.organization_id from message m where m.period = day order by m.organization_id limit 1) as id from period
         union all
         select o.day, (select m.organization_id from message m where m.period = o.day and m.organization_id > o.id order by m.organization_id limit 1)
         from owner o where o.id is not null)
       select m.organization_id, m.message_id, to_char(m.period, 'YYYY-MM') as month
       from id i join owner o on o.day in (i.day, (i.day - interval '1 month')::date)
       join message m on m.period = o.day and m.organization_id = o.id and m.message_id = i.id`,
      [messageIds],
    );
  }

  /** Writes the changes of messages, their reports, and the counters of their chunks, which are locked in order. */
  async update(changes: readonly MessageChange[]): Promise<void> {
    for (const { layout, some } of byLayout(changes, ({ message }) => message.key.messageId))
      await (layout === 0 ? this.#updateOld(some) : this.#updateByPosition(some));
    const reports = changes.flatMap(({ message: { key }, reports: own }) => own.map((report) => ({ key, ...report })));
    if (reports.length > 0) await this.#insertReports(reports);
    const paged = changes.filter(({ message }) => message.pageNo !== null);
    if (paged.length > 0) await this.#updatePages(paged);
  }

  async #updateOld(changes: readonly MessageChange[]): Promise<void> {
    const messages = changes.map(({ message }) => message);
    await this.sql.query(
      `update message m set state = c.state, enhanced_code = coalesce(c.status, m.enhanced_code), response = c.response,
         accepted_at = coalesce(m.accepted_at, clock_timestamp()),
         delivered_at = case when c.state in ('DELIVERED', 'COMPLAINED') then coalesce(m.delivered_at, clock_timestamp())
           when c.state = 'BOUNCED' then null else m.delivered_at end
       from unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::text[], $6::text[])
         c(organization_id, message_id, period, state, status, response)
       where m.period = c.period and m.organization_id = c.organization_id and m.message_id = c.message_id and m.period between $7 and $8`,
      [
        ...keysOf(messages.map(({ key }) => key)),
        messages.map(({ state }) => state),
        changes.map(({ status }) => status),
        messages.map(({ response }) => response),
        ...rangeOf(messages.map(({ key }) => `${key.period}-01`)),
      ],
    );
  }

  /** The ledger keeps no enhanced code beside the words of the report, and `delivered_at` null means `attempted_at`. */
  async #updateByPosition(changes: readonly MessageChange[]): Promise<void> {
    const messages = changes.map(({ message }) => message);
    const codes = messages.map(({ response }) => codeOf(response));
    await this.sql.query(
      `update campaign_message m set state = c.state, code = c.code, response = c.response,
         attempted_at = coalesce(m.attempted_at, clock_timestamp()),
         delivered_at = case when c.state = m.state then m.delivered_at
           when c.state = 'D' then clock_timestamp()
           when c.state = 'C' and m.state = 'D' then coalesce(m.delivered_at, m.attempted_at)
           when c.state = 'C' then clock_timestamp() end
       from unnest($1::uuid[], $2::uuid[], $3::"char"[], $4::smallint[], $5::text[]) c(organization_id, message_id, state, code, response)
       where m.message_id = c.message_id and m.organization_id = c.organization_id and m.message_id between $6 and $7`,
      [
        messages.map(({ key }) => key.organizationId),
        messages.map(({ key }) => key.messageId),
        messages.map(({ state }) => ledgerStates[state as LedgerState]),
        codes,
        messages.map(({ response }, n) => response && withoutCode(codes[n]!, response)),
        ...rangeOf(messages.map(({ key }) => key.messageId)),
      ],
    );
  }

  /** The chunks of a send that ended long ago are deleted, also at this moment: their counters are in its totals. */
  async #updatePages(changes: readonly MessageChange[]): Promise<void> {
    await this.sql.query(
      `with change as (
         select organization_id, send_id, page_no, sum(sent)::int as sent, sum(in_doubt)::int as in_doubt,
           sum(delivered)::int as delivered, sum(bounced)::int as bounced
         from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::int[], $6::int[], $7::int[])
           c(organization_id, send_id, page_no, sent, in_doubt, delivered, bounced) group by 1, 2, 3),
       page as materialized (
         select p.organization_id, p.send_id, p.page_no from send_page p join change c using (organization_id, send_id, page_no)
         order by p.organization_id, p.send_id, p.page_no for no key update of p),
       counted as (
         update send_page p set sent = p.sent + c.sent, in_doubt = p.in_doubt + c.in_doubt,
           delivered = p.delivered + c.delivered, bounced = p.bounced + c.bounced
         from change c join page using (organization_id, send_id, page_no)
         where p.organization_id = c.organization_id and p.send_id = c.send_id and p.page_no = c.page_no
         returning p.organization_id, p.send_id, p.page_no)
       insert into send_page as p (organization_id, send_id, page_no, state, sent, in_doubt, delivered, bounced)
       select organization_id, send_id, ${totalsChunk}, 'DONE', sum(sent)::int, sum(in_doubt)::int, sum(delivered)::int, sum(bounced)::int
       from change c where not exists (select from counted k where k.organization_id = c.organization_id
         and k.send_id = c.send_id and k.page_no = c.page_no)
       group by organization_id, send_id order by organization_id, send_id
       on conflict (organization_id, send_id, page_no) do update set ${addToTotalsSql}`,
      [
        changes.map(({ message }) => message.key.organizationId),
        changes.map(({ message }) => uuidOf('send', message.sendId)),
        changes.map(({ message }) => message.pageNo),
        ...(['sent', 'inDoubt', 'delivered', 'bounced'] as const).map((name) =>
          changes.map(({ counters }) => counters[name]),
        ),
      ],
    );
  }

  async #insertReports(reports: readonly { key: MessageKey; kind: string; raw: string }[]): Promise<void> {
    await this.sql.query(
      `insert into bounce_report (organization_id, message_id, period, report_id, class, raw)
       select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::uuid[], $5::text[], $6::text[])`,
      [
        ...keysOf(reports.map(({ key }) => key)),
        reports.map(() => newUuid()),
        reports.map(({ kind }) => kind),
        reports.map(({ raw }) => raw.replaceAll('\0', '').slice(0, reportLengthMax)),
      ],
    );
  }

  /** Deletes reports older than 30 days, at most 10,000 at a time. @returns how many */
  async deleteOld(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with gone as (delete from bounce_report where report_id in (
         select report_id from bounce_report where report_id < uuid_floor(clock_timestamp() - interval '30 days') order by report_id limit 10000)
       returning 1) select count(*)::int as n from gone`,
    );
    return rows[0]!.n;
  }
}

const keysOf = (keys: readonly MessageKey[]): unknown[][] => [
  keys.map(({ organizationId }) => organizationId),
  keys.map(({ messageId }) => messageId),
  keys.map(({ period }) => `${period}-01`),
];

function messageOf(row: Row): ReportedMessage {
  const identity = identityOf(row);
  return {
    ...identity,
    key: { organizationId: row.organization_id, messageId: row.message_id, period: row.month },
    // Tests of campaigns belong to no subscriber.
    subscriberId: row.kind === 'TEST' ? null : identity.subscriberId,
    addressHash: row.address_hash,
    state: row.state,
    attempts: row.attempts,
    response: row.response,
  };
}
