import type { Hit } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { identityColumns, identityOf } from '../../message/identity.repository.js';
import type { IdentityRow } from '../../message/identity.repository.js';
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

  /** Locks the messages of hits, in order, until the commit, so that one transaction decides which hit was first. */
  async listForUpdate(hits: readonly Hit[]): Promise<Map<string, HitMessage>> {
    const rows: HitRow[] = await this.sql.query(
      `select ${identityColumns}, m.period::text as period, m.simulated, m.accepted_at, m.first_opened_at, m.first_clicked_at
       from (select distinct * from unnest($1::uuid[], $2::uuid[], $3::date[]) u(organization_id, message_id, period)) h
       join message m on m.period = h.period and m.organization_id = h.organization_id and m.message_id = h.message_id
       left join send s on s.organization_id = m.organization_id and s.send_id = m.send_id
       order by m.organization_id, m.message_id for no key update of m`,
      [
        hits.map(({ organizationId }) => uuidOf('org', organizationId)),
        hits.map(({ messageId }) => uuidOf('msg', messageId)),
        hits.map(dayOf),
      ],
    );
    return new Map(
      rows.map((row) => {
        const message: HitMessage = {
          ...identityOf(row),
          period: row.period,
          simulated: row.simulated,
          acceptedAt: row.accepted_at,
          firstOpenedAt: row.first_opened_at,
          firstClickedAt: row.first_clicked_at,
        };
        return [message.messageId, message];
      }),
    );
  }

  async findAcceptedAt(organizationId: string, messageId: string, month: string): Promise<Date | null> {
    if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) return null;
    const rows: { accepted_at: Date | null }[] = await this.sql.query(
      `select accepted_at from message where period = $1 and organization_id = $2 and message_id = $3`,
      [`${month}-01`, uuidOf('org', organizationId), uuidOf('msg', messageId)],
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
    await this.sql.query(
      `update message m set opens = m.opens + c.opens, clicks = m.clicks + c.clicks,
         first_opened_at = coalesce(m.first_opened_at, c.opened_at), first_clicked_at = coalesce(m.first_clicked_at, c.clicked_at)
       from unnest($1::uuid[], $2::uuid[], $3::date[], $4::int[], $5::int[], $6::timestamptz[], $7::timestamptz[])
         c(organization_id, message_id, period, opens, clicks, opened_at, clicked_at)
       where m.period = c.period and m.organization_id = c.organization_id and m.message_id = c.message_id`,
      [
        ...keysOf(changes.map(({ message }) => message)),
        changes.map(({ opens }) => opens),
        changes.map(({ clicks }) => clicks),
        changes.map(({ openedAt }) => openedAt),
        changes.map(({ clickedAt }) => clickedAt),
      ],
    );
  }

  /** Records clicked links. @returns `message id/link number` of those without an earlier click */
  async insertLinks(links: readonly { message: HitMessage; linkNumber: number }[]): Promise<Set<string>> {
    const rows: { message_id: string; link_number: number }[] = await this.sql.query(
      `insert into message_link (organization_id, message_id, period, link_number)
       select distinct organization_id, message_id, period, link_number
       from unnest($1::uuid[], $2::uuid[], $3::date[], $4::int[]) u(organization_id, message_id, period, link_number)
       order by organization_id, message_id, link_number on conflict do nothing returning message_id, link_number`,
      [...keysOf(links.map(({ message }) => message)), links.map(({ linkNumber }) => linkNumber)],
    );
    return new Set(rows.map((row) => `${wireId('msg', row.message_id)}/${row.link_number}`));
  }
}

const keysOf = (messages: readonly HitMessage[]): unknown[][] => [
  messages.map(({ organizationId }) => uuidOf('org', organizationId)),
  messages.map(({ messageId }) => uuidOf('msg', messageId)),
  messages.map(({ period }) => period),
];
