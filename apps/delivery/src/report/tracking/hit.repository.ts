import type { Hit } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { AttemptMarkRepository } from '../../message/attempt-mark.repository.js';
import { rangeOf } from '../../message/id-range.js';
import { identityColumns, identityOf, ledgerIdentityColumns, ledgerSend } from '../../message/identity.repository.js';
import type { IdentityRow } from '../../message/identity.repository.js';
import { layoutOf, byLayout } from '../../message/message-layout.repository.js';
import type { MessageIdentity } from '../../message/message.js';

/** The data of a message by which its hits are classified; ids as on the wire. */
export interface HitMessage extends MessageIdentity {
  period: string;
  simulated: boolean;
  acceptedAt: Date | null;
  firstOpenedAt: Date | null;
  firstClickedAt: Date | null;
}

interface HitRow extends IdentityRow {
  period: string;
  simulated: boolean;
  accepted_at: Date | null;
  first_opened_at: Date | null;
  first_clicked_at: Date | null;
}

export interface HitChange {
  message: HitMessage;
  opens: number;
  clicks: number;
  openedAt: Date | null;
  clickedAt: Date | null;
}

/** First day of a hit's month; hits of one message all name the same. */
const dayOf = ({ period }: Hit) => `${period}-01`;
const consumer = 'hits';

const hitColumns = 'm.simulated, m.first_opened_at, m.first_clicked_at';

/** SQL by layout; `$4` and `$5`: the least and the greatest key of partitions. */
const ofLayout = [
  {
    listForUpdate: `
      select ${identityColumns}, m.period::text as period, m.accepted_at, ${hitColumns}
      from (select distinct * from unnest($1::uuid[], $2::uuid[], $3::date[]) u(organization_id, message_id, period)) h
      join message m on m.period = h.period and m.organization_id = h.organization_id and m.message_id = h.message_id
      left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
      where m.period between $4 and $5 order by m.organization_id, m.message_id for no key update of m`,
    table: 'message',
    isChanged: 'm.period = c.period and m.period between $4 and $5',
    keyOf: ({ period }: Keyed) => period,
  },
  {
    listForUpdate: `
      select ${ledgerIdentityColumns}, month_of_uuid(m.message_id)::text as period, m.attempted_at as accepted_at, ${hitColumns}
      from (select distinct * from unnest($1::uuid[], $2::uuid[], $3::date[]) u(organization_id, message_id, period)) h
      join campaign_message m on m.message_id = h.message_id and m.organization_id = h.organization_id join ${ledgerSend}
      where m.message_id between $4 and $5 order by m.message_id for no key update of m`,
    table: 'campaign_message',
    isChanged: 'm.message_id between $4 and $5',
    keyOf: ({ messageId }: Keyed) => messageId,
  },
];

/** Where the row of a message is: ids are uuids, and the period is the first day of its month. */
interface Keyed {
  organizationId: string | null;
  messageId: string;
  period: string;
}

export class HitRepository {
  constructor(private readonly sql: Sql) {}

  /** Notes hits as seen, by their keys. @returns those that are new: only these count */
  async insertSeen(keys: readonly string[]): Promise<Set<string>> {
    const rows: { outbox_id: string }[] = await this.sql.query(
      `insert into inbox (consumer, outbox_id) select $1, id from (select distinct unnest($2::uuid[]) as id order by 1) i
       on conflict do nothing returning outbox_id`,
      [consumer, keys],
    );
    return new Set(rows.map((row) => row.outbox_id));
  }

  /** Forgets keys that `insertSeen` noted in this transaction, for hits that are redelivered. */
  async deleteSeen(keys: readonly string[]): Promise<void> {
    await this.sql.query(`delete from inbox where consumer = $1 and outbox_id = any($2::uuid[])`, [consumer, keys]);
  }

  /** Locks the messages of hits, in order, until the commit, so that one transaction decides which hit was first. */
  async listForUpdate(hits: readonly Hit[]): Promise<Map<string, HitMessage>> {
    const named = hits.flatMap((hit) => {
      const messageId = uuidOf('msg', hit.messageId);
      return messageId === null
        ? []
        : [{ organizationId: uuidOf('org', hit.organizationId), messageId, period: dayOf(hit) }];
    });
    const messages = new Map<string, HitMessage>();
    for (const { layout, some } of byLayout(named, ({ messageId }) => messageId)) {
      const { listForUpdate, keyOf } = ofLayout[layout]!;
      const rows: HitRow[] = await this.sql.query(listForUpdate, [...keysOf(some), ...rangeOf(some.map(keyOf))]);
      for (const row of rows) messages.set(wireId('msg', row.message_id), messageOf(row));
    }
    return messages;
  }

  /** @returns the keys of hits whose message is being sent: its row comes with the outcome */
  async listOpen(hits: readonly (Hit & { key: string })[]): Promise<string[]> {
    const named = hits.flatMap(({ key, ...hit }) => {
      const organizationId = uuidOf('org', hit.organizationId);
      const messageId = uuidOf('msg', hit.messageId);
      return organizationId !== null && messageId !== null ? [{ key, organizationId, messageId }] : [];
    });
    const open = await new AttemptMarkRepository(this.sql).listOpen(named);
    return named.flatMap(({ key, messageId }) => (open.has(messageId) ? [key] : []));
  }

  async findAcceptedAt(organizationId: string, messageId: string, month: string): Promise<Date | null> {
    const uuid = uuidOf('msg', messageId);
    if (uuid === null || !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) return null;
    const isByPosition = layoutOf(uuid) === 1;
    const rows: { accepted_at: Date | null }[] = isByPosition
      ? await this.sql.query(
          `select attempted_at as accepted_at from campaign_message where organization_id = $1 and message_id = $2`,
          [uuidOf('org', organizationId), uuid],
        )
      : await this.sql.query(
          `select accepted_at from message where organization_id = $1 and message_id = $2 and period = $3`,
          [uuidOf('org', organizationId), uuid, `${month}-01`],
        );
    return rows[0]?.accepted_at ?? null;
  }

  /** What each numbered link of the mail of some messages leads to, as its content has it, by send. */
  async listLinks(messages: readonly HitMessage[]): Promise<Map<string, string[]>> {
    const sends = messages.filter(({ sendId }) => sendId !== null);
    if (sends.length === 0) return new Map();
    const rows: { send_id: string; links: string[] }[] = await this.sql.query(
      `select s.send_id, s.template -> 'links' as links
       from (select distinct * from unnest($1::uuid[], $2::uuid[]) u(organization_id, send_id)) h
       join send s using (organization_id, send_id)`,
      [
        sends.map(({ organizationId }) => uuidOf('org', organizationId)),
        sends.map(({ sendId }) => uuidOf('send', sendId)),
      ],
    );
    return new Map(rows.map((row) => [wireId('send', row.send_id), row.links]));
  }

  async update(changes: readonly HitChange[]): Promise<void> {
    const keyed = changes.map((change) => ({ ...change, key: keyOf(change.message) }));
    for (const { layout, some } of byLayout(keyed, ({ key }) => key.messageId)) {
      const { table, isChanged, keyOf: partitionOf } = ofLayout[layout]!;
      await this.sql.query(
        `update ${table} m set opens = m.opens + c.opens, clicks = m.clicks + c.clicks,
           first_opened_at = coalesce(m.first_opened_at, c.opened_at), first_clicked_at = coalesce(m.first_clicked_at, c.clicked_at)
         from unnest($1::uuid[], $2::uuid[], $3::date[], $6::int[], $7::int[], $8::timestamptz[], $9::timestamptz[])
           c(organization_id, message_id, period, opens, clicks, opened_at, clicked_at)
         where m.organization_id = c.organization_id and m.message_id = c.message_id and ${isChanged}`,
        [
          ...keysOf(some.map(({ key }) => key)),
          ...rangeOf(some.map(({ key }) => partitionOf(key))),
          some.map(({ opens }) => opens),
          some.map(({ clicks }) => clicks),
          some.map(({ openedAt }) => openedAt),
          some.map(({ clickedAt }) => clickedAt),
        ],
      );
    }
  }

  /** Records clicked links. @returns `message id/link number` of those without an earlier click */
  async insertLinks(links: readonly { message: HitMessage; linkNumber: number }[]): Promise<Set<string>> {
    const rows: { message_id: string; link_number: number }[] = await this.sql.query(
      `insert into message_link (organization_id, message_id, period, link_number)
       select distinct organization_id, message_id, period, link_number
       from unnest($1::uuid[], $2::uuid[], $3::date[], $4::int[]) u(organization_id, message_id, period, link_number)
       order by organization_id, message_id, link_number on conflict do nothing returning message_id, link_number`,
      [...keysOf(links.map(({ message }) => keyOf(message))), links.map(({ linkNumber }) => linkNumber)],
    );
    return new Set(rows.map((row) => `${wireId('msg', row.message_id)}/${row.link_number}`));
  }
}

const keyOf = ({ organizationId, messageId, period }: HitMessage): Keyed => ({
  organizationId: uuidOf('org', organizationId),
  messageId: uuidOf('msg', messageId)!,
  period,
});

const keysOf = (keys: readonly Keyed[]): unknown[][] => [
  keys.map(({ organizationId }) => organizationId),
  keys.map(({ messageId }) => messageId),
  keys.map(({ period }) => period),
];

const messageOf = (row: HitRow): HitMessage => ({
  ...identityOf(row),
  period: row.period,
  simulated: row.simulated,
  acceptedAt: row.accepted_at,
  firstOpenedAt: row.first_opened_at,
  firstClickedAt: row.first_clicked_at,
});
