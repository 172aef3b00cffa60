import { messageIdAt, newUuid, uuidOf } from '#database';
import { ledgerStates, withoutCode } from '../../message/ledger-codes.js';
import type { LeasedChunk } from '../chunk/chunk.js';
import type { EarlierLease } from '../journal/attempt-journal.service.js';
import type { PreparedSql } from '../prepared-sql.repository.js';
import type { SendState } from '../send.js';
import type { ChunkCommit, ChunkCommitted, ChunkRecipient, LedgerMark, Outcome } from './ledger-chunk.js';

/** The highest position of a chunk's range of message ids. */
const positionMax = 1023;

/** As many as `send_attempt.attempted` has. */
const positions = Array.from({ length: 512 }, (_, position) => position);
const bitsOf = (set: ReadonlyMap<number, unknown>): string =>
  positions.map((position) => (set.has(position) ? '1' : '0')).join('');

const parameters = (count: number): string => Array.from({ length: count }, (_, n) => `$${n + 1}`).join(', ');

const commitSql = `select * from commit_chunks(${parameters(40)})`;
const takeOverSql = `select * from take_over_chunk(${parameters(14)})`;
const settleLateSql = `select settle_late(${parameters(19)}) as settled`;

interface CommittedRow {
  held: boolean;
  send_state: SendState;
  settled: boolean;
  started: number[];
  refused: number[];
}

/** The write path of the ledger for chunks, as functions of the schema. */
export class LedgerChunkRepository {
  constructor(
    private readonly sql: PreparedSql,
    private readonly owner: string,
    private readonly leaseSeconds: number,
  ) {}

  /**
   * Commits outcomes and marks of chunks together, and extends their leases. All of it, or nothing, is recorded.
   * @param commits one a chunk
   */
  async commit(commits: readonly ChunkCommit[]): Promise<ChunkCommitted[]> {
    // Chunks are locked in the order of their keys, so that two processes never wait for each other.
    const ordered = commits.map((commit) => ({ commit, keys: keysOf(commit.page) }));
    ordered.sort((a, b) => compare(a.keys, b.keys));
    const chunks = ordered.map(({ commit, keys }) => ({ ...commit, keys }));
    const outcomes = chunks.flatMap(({ outcomes: some }, at) => some.map((outcome) => ({ n: at + 1, ...outcome })));
    const marks = chunks.flatMap(({ marks: some }, at) => some.map((mark) => ({ n: at + 1, ...mark })));
    const withdrawn = chunks.flatMap(({ withdrawn: some }, at) => some.map((position) => ({ n: at + 1, position })));
    const rows = await this.sql.query<CommittedRow>('chunks commit', commitSql, [
      this.owner,
      this.leaseSeconds,
      ...chunkArrays(chunks),
      ...outcomeArrays(outcomes),
      ...markArrays(marks),
      withdrawn.map(({ n }) => n),
      withdrawn.map(({ position }) => position),
    ]);
    const committed = new Map(ordered.map(({ commit }, at) => [commit, committedOf(rows[at]!)]));
    return commits.map((commit) => committed.get(commit)!);
  }

  /**
   * Puts the marks of earlier leases that have no outcome in doubt, except those that were never begun, which it clears.
   * @param recipients of the whole chunk, by position
   * @param earlier what is known of such leases
   * @returns `settled`: the positions that have a row; null once another lease began
   */
  async takeOver(
    page: LeasedChunk,
    recipients: readonly ChunkRecipient[],
    earlier: readonly EarlierLease[] = [],
  ): Promise<{ settled: ReadonlySet<number>; doubted: number } | null> {
    const [organization, send, chunk] = keysOf(page);
    const [row] = await this.sql.query<{ held: boolean; settled: number[]; doubted: number }>(
      'chunk take over',
      takeOverSql,
      [
        ...[organization, send, chunk, this.owner, page.fence],
        ...[messageIdAt(send, chunk, 0), messageIdAt(send, chunk, positionMax)],
        recipients.map(({ messageId }) => messageId),
        recipients.map(({ mailboxHash }) => mailboxHash),
        recipients.map(({ subscriberId }) => subscriberId),
        recipients.map(({ email }) => email),
        recipients.map(({ simulated }) => simulated),
        earlier.map(({ fence }) => fence),
        earlier.map(({ attempts }) => bitsOf(attempts)),
      ],
    );
    return row!.held ? { settled: new Set(row!.settled), doubted: row!.doubted } : null;
  }

  /**
   * Records results of a lease that ended, where the messages are in doubt by that attempt. The events of each are those
   * of the outcome.
   * @returns the ids of the messages it settled
   */
  async settleLate(page: LeasedChunk, outcomes: readonly Outcome[], lane: number): Promise<Set<string>> {
    const [organization, send, chunk] = keysOf(page);
    const [row] = await this.sql.query<{ settled: string[] }>('chunk settle late', settleLateSql, [
      ...[organization, send, chunk, page.fence, newUuid(), lane],
      outcomes.map(({ recipient }) => recipient.messageId),
      outcomes.map(({ recipient }) => recipient.position),
      outcomes.map(({ at }) => at),
      outcomes.map(({ recipient }) => recipient.mailboxHash),
      outcomes.map(({ recipient }) => recipient.subscriberId),
      outcomes.map(({ relayId }) => relayId),
      outcomes.map(({ code }) => code),
      outcomes.map(({ state }) => ledgerStates[state]),
      outcomes.map(({ recipient }) => recipient.email),
      outcomes.map(({ code, response }) => withoutCode(code, response)),
      outcomes.map(({ subjectValues }) => jsonOf(subjectValues)),
      outcomes.map(({ wait }) => wait),
      outcomes.map(({ events }) => events),
    ]);
    return new Set(row!.settled);
  }
}

type Keys = [organization: string, send: string, chunk: number];

const keysOf = ({ organizationId, sendId, pageNo }: LeasedChunk): Keys => [
  uuidOf('org', organizationId)!,
  uuidOf('send', sendId)!,
  pageNo,
];

function compare([organization, send, chunk]: Keys, [other, otherSend, otherChunk]: Keys): number {
  if (organization !== other) return organization < other ? -1 : 1;
  return send === otherSend ? chunk - otherChunk : send < otherSend ? -1 : 1;
}

const jsonOf = (values: readonly string[] | null): string | null => values && JSON.stringify(values);

const chunkArrays = (chunks: readonly (ChunkCommit & { keys: Keys })[]): unknown[][] => [
  chunks.map(({ keys: [organization] }) => organization),
  chunks.map(({ keys: [, send] }) => send),
  chunks.map(({ page }) => page.pageNo),
  chunks.map(({ page }) => page.fence),
  chunks.map(({ relayId }) => relayId),
  chunks.map(({ step }) => step),
  chunks.map(({ size }) => size),
  chunks.map(({ keys: [, send, chunk] }) => messageIdAt(send, chunk, 0)),
  chunks.map(({ keys: [, send, chunk] }) => messageIdAt(send, chunk, positionMax)),
  chunks.map(() => newUuid()),
  chunks.map(({ lane }) => lane),
  chunks.map(({ events }) => events),
  chunks.map(({ pending }) => (pending.length === 0 ? null : pending.join(','))),
];

const outcomeArrays = (outcomes: readonly (Outcome & { n: number })[]): unknown[][] => [
  outcomes.map(({ n }) => n),
  outcomes.map(({ recipient }) => recipient.messageId),
  outcomes.map(({ at }) => at),
  outcomes.map(({ recipient }) => recipient.mailboxHash),
  outcomes.map(({ recipient }) => recipient.subscriberId),
  outcomes.map(({ relayId }) => relayId),
  outcomes.map(({ code }) => code),
  outcomes.map(({ relayId }) => (relayId === null ? 0 : 1)),
  outcomes.map(({ state }) => ledgerStates[state]),
  outcomes.map(({ recipient }) => recipient.simulated),
  outcomes.map(({ recipient }) => recipient.email),
  outcomes.map(({ code, response }) => withoutCode(code, response)),
  outcomes.map(({ subjectValues }) => jsonOf(subjectValues)),
  outcomes.map(({ skipReason }) => skipReason),
  outcomes.map(({ wait }) => wait),
];

const markArrays = (marks: readonly (LedgerMark & { n: number })[]): unknown[][] => [
  marks.map(({ n }) => n),
  marks.map(({ recipient }) => recipient.messageId),
  marks.map(({ recipient }) => recipient.position),
  marks.map(({ mailbox }) => mailbox),
  marks.map(({ recipient }) => recipient.mailboxHash),
  marks.map(({ recipient }) => recipient.subscriberId),
  marks.map(({ recipient }) => recipient.email),
  marks.map(({ subjectValues }) => jsonOf(subjectValues)),
];

const committedOf = (row: CommittedRow): ChunkCommitted => ({
  held: row.held,
  sendState: row.send_state,
  settled: row.settled,
  started: new Set(row.started),
  refused: new Set(row.refused),
});
