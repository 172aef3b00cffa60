import type { Sql } from '#database';
import { ledgerKinds } from '../message/ledger-codes.js';
import type { LedgerKind } from '../message/ledger-codes.js';

export interface QueueBacklog {
  lane: string;
  due: number;
  later: number;
  /** How long the first of those that are due has been, in seconds. */
  oldestSeconds: number;
}

const countMax = 10_000;
const lanes: Record<LedgerKind, string> = {
  CAMPAIGN: 'campaign',
  TRANSACTIONAL: 'transactional',
  SMTP: 'smtp',
  TEST: 'test',
  WORKFLOW: 'workflow',
};
const kinds = Object.keys(lanes) as LedgerKind[];

export class BacklogRepository {
  constructor(private readonly sql: Sql) {}

  /** Single messages by lane; what waits for a paused send to go on is not due. */
  async listQueues(): Promise<QueueBacklog[]> {
    const rows: { kind: LedgerKind; due: number; later: number; oldest: number }[] = await this.sql.query(
      `select k.kind, d.due, d.oldest, l.later from unnest($1::text[], $2::"char"[]) k(kind, letter)
       cross join lateral (
         select count(*)::int as due, coalesce(extract(epoch from statement_timestamp() - min(w.due_at)), 0)::float8 as oldest
         from ((select organization_id, send_id, due_at from message where kind = k.kind and due_at <= statement_timestamp()
           order by due_at limit ${countMax})
           union all
           (select organization_id, send_id, due_at from message_queue where kind = k.letter and state <> 'ATTEMPTING'
             and due_at <= statement_timestamp() limit ${countMax})) w
         where not exists (select from send s where s.finished_at is null and s.state = 'PAUSED'
           and s.organization_id = w.organization_id and s.send_id = w.send_id)) d
       cross join lateral (
         select count(*)::int as later from (
           (select from message where kind = k.kind and due_at > statement_timestamp() limit ${countMax})
           union all
           (select from message_queue where kind = k.letter and (state = 'ATTEMPTING' or due_at > statement_timestamp())
             limit ${countMax})) w) l`,
      [kinds, kinds.map((kind) => ledgerKinds[kind])],
    );
    return rows.map(({ kind, due, later, oldest }) => ({ lane: lanes[kind], due, later, oldestSeconds: oldest }));
  }

  /** How many sends have not ended, by state, of at most `countMax`; one that waits for something of its own is `waiting`. */
  async countSends(): Promise<ReadonlyMap<string, number>> {
    const rows: { state: string; n: number }[] = await this.sql.query(
      `select case when state = 'RUNNING' and waiting_for is not null then 'waiting' else lower(state) end as state, count(*)::int as n
       from (select state, waiting_for from send where finished_at is null limit ${countMax}) s group by 1`,
    );
    return new Map([...['running', 'waiting', 'paused'].map((state) => [state, 0] as const), ...rows.map(entry)]);
  }

  async countPages(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from (select from send_page where state <> 'DONE' limit ${countMax}) p`,
    );
    return rows[0]!.n;
  }
}

const entry = ({ state, n }: { state: string; n: number }) => [state, n] as const;
