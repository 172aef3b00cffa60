import type { DataSource } from 'typeorm';
import { messageIdAt, uuidOf, wireId } from '#database';
import { emailKey, parseAddress } from '#email-address';
import { addressHasher } from '#link-token';
import { environmentFor } from './service-plans.js';
import { mailboxHasher } from '../../apps/delivery/src/message/address-hash.js';
import { ledgerStates, withoutCode } from '../../apps/delivery/src/message/ledger-codes.js';
import type { LedgerState } from '../../apps/delivery/src/message/ledger-codes.js';
import type { SubjectSegments } from '../../apps/delivery/src/message/subject.js';

/** The two ways in which a campaign's messages are stored. A spec of readers runs in both. */
export const layouts = ['rows by subscriber', 'rows by position'] as const;
export type Layout = (typeof layouts)[number];

export const hashMailbox = mailboxHasher(addressHasher(environmentFor('').MASTER_KEY!));

interface Stored {
  organization_id: string;
  page_no: number | null;
  subscriber_id: string;
  email: string;
  subject: string;
  state: string;
  skip_reason: string | null;
  simulated: boolean;
  attempts: number;
  due_at: Date | null;
  code: number | null;
  response: string | null;
  accepted_at: Date | null;
  delivered_at: Date | null;
  first_opened_at: Date | null;
  first_clicked_at: Date | null;
  opens: number;
  clicks: number;
}

/**
 * Brings the messages of a send into a layout, as if a sender of that layout had written them. Messages by position get
 * new ids, so it comes before whatever names them. The send's id must end in 32 zero bits.
 */
export async function intoLayout(database: DataSource, layout: Layout, sendId: string): Promise<void> {
  if (layout === 'rows by subscriber') return;
  const send = uuidOf('send', sendId)!;
  const [sends]: [{ segments: SubjectSegments | null }[], number] = await database.query(
    `update send set layout = 1, subject = template -> 'subject' where send_id = $1 returning template -> 'subject' as segments`,
    [send],
  );
  const segments = sends[0]!.segments ?? [];
  const [rows]: [Stored[], number] = await database.query(`delete from message where send_id = $1 returning *`, [send]);
  rows.sort((a, b) => (a.subscriber_id < b.subscriber_id ? -1 : 1));
  const places = new Map<number, number>();
  for (const row of rows) {
    const chunk = row.page_no ?? 0;
    const place = places.get(chunk) ?? 0;
    places.set(chunk, place + 1);
    await insert(database, { row, send, chunk, place, values: valuesOf(segments, row.subject) });
  }
}

async function insert(
  database: DataSource,
  {
    row,
    send,
    chunk,
    place,
    values,
  }: { row: Stored; send: string; chunk: number; place: number; values: string[] | null },
): Promise<void> {
  const id = messageIdAt(send, chunk, place);
  const { organization_id: organization, state, email } = row;
  if (state !== 'SKIPPED' && row.attempts > 0)
    await database.query(
      `insert into send_attempt as a (organization_id, send_id, chunk_no, fence, relay_id, step, attempted)
       values ($1, $2, $3, 1, 1, 1, set_bit(repeat('0', 512)::bit(512), $4, 1))
       on conflict (organization_id, send_id, chunk_no, fence, relay_id) do update set attempted = set_bit(a.attempted, $4, 1)`,
      [organization, send, chunk, place],
    );
  // A mark without an outcome has no row.
  if (state === 'HANDING_OVER') return;
  await database.query(
    `insert into campaign_message (message_id, attempted_at, mailbox_hash, organization_id, subscriber_id, relay_id, code, attempts, state,
       kind, simulated, email, response, subject_values, skip_reason, delivered_at, first_opened_at, first_clicked_at, opens, clicks)
     values ($1, $2, $3, $4, $5, 1, $6, $7, $8, 'C', $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      ...[id, state === 'SKIPPED' ? null : (row.accepted_at ?? new Date(Date.now())), mailboxHashIn(row), organization],
      ...[row.subscriber_id, row.code, row.attempts, ledgerStates[state as LedgerState], row.simulated, email],
      ...[row.response && withoutCode(row.code, row.response), values && JSON.stringify(values), row.skip_reason],
      // Null means at attempted_at.
      row.delivered_at?.getTime() === row.accepted_at?.getTime() ? null : row.delivered_at,
      ...[row.first_opened_at, row.first_clicked_at, row.opens, row.clicks],
    ],
  );
  if (state === 'DEFERRED')
    await database.query(
      `insert into message_queue (message_id, organization_id, kind, send_id, due_at, attempts, state)
       values ($1, $2, 'C', $3, coalesce($4, clock_timestamp()), $5, 'DEFERRED')`,
      [id, organization, send, row.due_at, row.attempts],
    );
}

function mailboxHashIn({ organization_id, email }: Stored): string | null {
  const parsed = parseAddress(email);
  return parsed.ok ? hashMailbox(wireId('org', organization_id), emailKey(parsed.address)) : null;
}

/** The texts of a subject's slots; null for a subject without one. */
function valuesOf(segments: SubjectSegments, subject: string): string[] | null {
  if (segments.every((segment) => typeof segment === 'string')) return null;
  const pattern = segments.map((one) =>
    typeof one === 'string' ? one.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&') : '(.*)',
  );
  return new RegExp(`^${pattern.join('')}$`).exec(subject)?.slice(1) ?? [];
}

/** Sets the state of the messages to an address, in their layout; HANDING_OVER is an attempt in progress. */
export async function setState(database: DataSource, email: string, state: string): Promise<void> {
  await database.query(`update message set state = $1 where email = $2`, [state, email]);
  const letter = ledgerStates[state === 'HANDING_OVER' ? 'DEFERRED' : (state as LedgerState)];
  await database.query(`update campaign_message set state = $1 where email = $2`, [letter, email]);
  await database.query(
    `delete from message_queue where message_id in (select message_id from campaign_message where email = $1)`,
    [email],
  );
  if (letter !== ledgerStates.DEFERRED) return;
  await database.query(
    `insert into message_queue (message_id, organization_id, kind, send_id, due_at, attempts, state)
     select message_id, organization_id, 'C', send_of_message(message_id), clock_timestamp() + interval '1 hour', attempts, $2
     from campaign_message where email = $1`,
    [email, state === 'HANDING_OVER' ? 'ATTEMPTING' : 'DEFERRED'],
  );
}

/** Records the messages of a send by position in the history of the subscriber service, as its events would. */
export async function intoHistory(
  { delivery, subscriber }: { delivery: DataSource; subscriber: DataSource },
  sendId: string,
): Promise<void> {
  const send = uuidOf('send', sendId)!;
  const rows: { organization_id: string; campaign_id: string; subscriber_id: string; slot: number }[] =
    await delivery.query(
      `select s.organization_id, s.campaign_id, m.subscriber_id, ('x' || right(m.message_id::text, 8))::bit(32)::int as slot
     from send s join campaign_message m on m.message_id between s.send_id and last_message_of(s.send_id) where s.send_id = $1`,
      [send],
    );
  const { organization_id: organization, campaign_id: campaign } = rows[0]!;
  await subscriber.query(
    `with made as (
       insert into campaign_ref (organization_id, campaign_id, send_id, first_at, last_at)
       values ($1, $2, $3, clock_timestamp(), clock_timestamp()) returning campaign_no)
     insert into campaign_recipient (campaign_no, position, subscriber_id, sent_at)
     select campaign_no, slot, id, clock_timestamp() from made, unnest($4::int[], $5::uuid[]) u(slot, id)`,
    [organization, campaign, send, rows.map(({ slot }) => slot), rows.map(({ subscriber_id: id }) => id)],
  );
}
