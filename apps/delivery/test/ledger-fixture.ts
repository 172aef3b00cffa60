import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { messageIdAt, newId, newSendUuid, uuidOf } from '#database';
import { hashMailbox } from '../../../test/harness/message-layouts.js';
import { ChunkRepository } from '../src/send/chunk/chunk.repository.js';
import type { LeasedChunk } from '../src/send/chunk/chunk.js';
import type { ChunkCommit, ChunkRecipient, LedgerMark, Outcome } from '../src/send/ledger/ledger-chunk.js';
import { LedgerChunkRepository } from '../src/send/ledger/ledger-chunk.repository.js';
import type { PreparedSql } from '../src/send/prepared-sql.repository.js';

/** A process that commits: its chunks and its ledger. */
export interface Committer {
  pages: ChunkRepository;
  ledger: LedgerChunkRepository;
}

/** Sends of layout 1 without an engine: the tests commit what an engine would. */
export class LedgerFixture {
  constructor(
    private readonly database: DataSource,
    private readonly sql: PreparedSql,
  ) {}

  committer(leaseSeconds = 600): Committer {
    const owner = randomUUID();
    return {
      pages: new ChunkRepository(this.sql, owner, leaseSeconds),
      ledger: new LedgerChunkRepository(this.sql, owner, leaseSeconds),
    };
  }

  /** Starts a send of one chunk and leases it. */
  async leased({ pages }: Committer, organizationId = newId('org')): Promise<LeasedChunk> {
    await this.start(organizationId);
    return (await pages.claim([]))!;
  }

  async start(organizationId: string): Promise<void> {
    const [send, organization] = [newSendUuid(), uuidOf('org', organizationId)];
    await this.database.query(
      `insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, organization_name,
         total, pages, period, layout)
       values ($1, $2, $3, 'News', $3, '{}', '{}', 'Shop', 10, 1, date_trunc('month', now()), 1)`,
      [organization, send, randomUUID()],
    );
    await this.database.query(`insert into send_page (organization_id, send_id, page_no) values ($1, $2, 0)`, [
      organization,
      send,
    ]);
  }

  async setSend({ sendId }: LeasedChunk, change: string): Promise<void> {
    await this.database.query(`update send set ${change} where send_id = $1`, [uuidOf('send', sendId)]);
  }

  async setChunk({ sendId }: LeasedChunk, change: string): Promise<void> {
    await this.database.query(`update send_page set ${change} where send_id = $1`, [uuidOf('send', sendId)]);
  }

  /** The states of a chunk's rows by position. */
  async rows({ sendId, pageNo }: LeasedChunk): Promise<Record<number, string>> {
    const send = uuidOf('send', sendId)!;
    const rows: { position: number; state: string }[] = await this.database.query(
      `select ('x' || right(message_id::text, 8))::bit(32)::int & 1023 as position, state from campaign_message
       where message_id between $1 and $2`,
      [messageIdAt(send, pageNo, 0), messageIdAt(send, pageNo, 1023)],
    );
    return Object.fromEntries(rows.map(({ position, state }) => [position, state]));
  }

  /** The names of the events of an organization in the outbox. */
  async events(page: LeasedChunk): Promise<string[]> {
    const rows: { name: string }[] = await this.database.query(
      `select e ->> 'name' as name from outbox, jsonb_array_elements(events) e where organization_id = $1 order by seq`,
      [uuidOf('org', page.organizationId)],
    );
    return rows.map(({ name }) => name);
  }

  async queued({ sendId }: LeasedChunk): Promise<{ wait: number; attempts: number; state: string }[]> {
    return await this.database.query(
      `select extract(epoch from due_at - clock_timestamp())::int as wait, attempts, state from message_queue where send_id = $1`,
      [uuidOf('send', sendId)],
    );
  }

  /**
   * The invariants of docs/internals/ledger.md over all sends: bits of a chunk's attempts are disjoint (I2), a DONE chunk
   * has a row for each mark (I3), and counters equal rows (I7).
   */
  async check(): Promise<void> {
    expect(await this.database.query(overlapsSql)).toEqual([]);
    expect(await this.database.query(unsettledSql)).toEqual([]);
    expect(await this.database.query(miscountedSql)).toEqual([]);
    expect(await this.database.query(unqueuedSql)).toEqual([]);
  }
}

const overlapsSql = `
  select a.send_id, a.chunk_no, a.fence, b.fence from send_attempt a join send_attempt b using (organization_id, send_id, chunk_no)
  where (a.fence, a.relay_id) < (b.fence, b.relay_id) and bit_count(a.attempted & b.attempted) > 0`;
const unsettledSql = `
  select a.send_id, a.chunk_no, p from send_page c join send_attempt a on a.send_id = c.send_id and a.chunk_no = c.page_no
  cross join generate_series(0, 511) p
  where c.state = 'DONE' and get_bit(a.attempted, p) = 1 and not exists (select from campaign_message m
    where m.message_id = (left(a.send_id::text, 28) || lpad(to_hex(a.chunk_no * 1024 + p), 8, '0'))::uuid)`;
/** SENT and DELIVERED count as sent also after a bounce or a complaint. */
const miscountedSql = `
  select p.send_id, p.page_no, p.sent, p.delivered, p.failed, p.deferred, p.in_doubt, p.skipped, r.*
  from send_page p join send s on s.organization_id = p.organization_id and s.send_id = p.send_id and s.layout = 1
  cross join lateral (
    select count(*) filter (where state in ('S', 'D', 'B', 'C'))::int as n_sent, count(*) filter (where state in ('D', 'C'))::int as n_delivered,
      count(*) filter (where state = 'F')::int as n_failed, count(*) filter (where state = 'W')::int as n_deferred,
      count(*) filter (where state = 'I')::int as n_in_doubt, count(*) filter (where state = 'K')::int as n_skipped
    from campaign_message m
    where m.message_id between (left(p.send_id::text, 28) || lpad(to_hex(p.page_no * 1024), 8, '0'))::uuid
      and (left(p.send_id::text, 28) || lpad(to_hex(p.page_no * 1024 + 1023), 8, '0'))::uuid) r
  where (p.sent, p.delivered, p.failed, p.deferred, p.in_doubt) <> (n_sent, n_delivered, n_failed, n_deferred, n_in_doubt)
    or (select coalesce(sum(e.value::int), 0) from jsonb_each_text(p.skipped) e) <> n_skipped`;
/** What the ledger calls deferred has a row in the queue, and nothing else has. */
const unqueuedSql = `
  select m.message_id, m.state, q.state from campaign_message m full join message_queue q using (message_id)
  where (m.state = 'W') is distinct from (q.message_id is not null)`;

const mailboxAt = ({ sendId }: LeasedChunk, position: number) => `p${position}.${sendId}@people.internal`;

export const recipientAt = (page: LeasedChunk, position: number, fixture = false): ChunkRecipient => ({
  position,
  messageId: messageIdAt(uuidOf('send', page.sendId)!, page.pageNo, position),
  subscriberId: randomUUID(),
  email: `p${position}@${fixture ? 'example.com' : 'people.internal'}`,
  mailboxHash: hashMailbox(page.organizationId, mailboxAt(page, position)),
  simulated: fixture,
});

export const markAt = (
  page: LeasedChunk,
  position: number,
  mailbox: string = mailboxAt(page, position),
): LedgerMark => ({
  recipient: { ...recipientAt(page, position), mailboxHash: hashMailbox(page.organizationId, mailbox) },
  mailbox,
  subjectValues: null,
});

export const outcomeAt = (page: LeasedChunk, position: number, change: Partial<Outcome> = {}): Outcome => ({
  recipient: recipientAt(page, position),
  state: 'DELIVERED',
  relayId: 1,
  at: new Date().toISOString(),
  code: 250,
  response: '250 2.0.0 Ok',
  wait: null,
  skipReason: null,
  subjectValues: null,
  events: '',
  ...change,
});

export const commitOf = (page: LeasedChunk, step: number, change: Partial<ChunkCommit> = {}): ChunkCommit => ({
  page,
  relayId: 1,
  step,
  outcomes: [],
  marks: [],
  withdrawn: [],
  pending: [],
  events: null,
  lane: 0,
  size: null,
  ...change,
});

/** An event as JSON, as a commit carries it. */
export const eventNamed = (name: string): string => JSON.stringify({ id: newId('evt'), name, data: {} });
