import type { CallKey, Outcome } from '#tool-call';
import { prepared, uuidOf } from '#database';
import type { Sql } from '#database';

/** Taken; taken and some of its effect committed; carried out, with its answer. */
type CallState = 'STARTED' | 'EFFECTED' | 'DONE';

export interface KnownCall {
  state: CallState;
  requestHash: string;
  /** Null for a call that was a whole request. */
  wholeHash: string | null;
  answer: Outcome | null;
  ageSeconds: number;
}

const atOnce = 5_000;

const lockName = (organizationId: string, callId: string): string => `call ${organizationId} ${callId}`;

/** Calls that must have their effect once, kept 24 hours with their answers. */
export class ExecutedCallRepository {
  constructor(private readonly sql: Sql) {}

  /** Takes a call id that was never used, in one statement. @returns false for a used one, and while a twin holds it */
  async insertStarted({ organizationId, callId, requestHash, wholeHash }: CallKey): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(startSql, [
      uuidOf('org', organizationId),
      callId,
      requestHash,
      lockName(organizationId, callId),
      wholeHash ?? null,
    ]);
    return rows.length > 0;
  }

  /** Takes the call id for this transaction. @returns false while a twin holds it */
  async lock({ organizationId, callId }: CallKey): Promise<boolean> {
    const rows: { held: boolean }[] = await this.sql.query(lockSql, [lockName(organizationId, callId)]);
    return rows[0]!.held;
  }

  /** @returns null for a call id that was not seen in the last 24 hours */
  async find({ organizationId, callId }: CallKey): Promise<KnownCall | null> {
    const rows: {
      state: CallState;
      request_hash: string;
      whole_hash: string | null;
      answer: Outcome | null;
      age: number;
    }[] = await this.sql.query(
      `select state, request_hash, whole_hash, answer, extract(epoch from clock_timestamp() - created_at)::float8 as age from executed_call
       where organization_id = $1 and call_id = $2 and created_at > clock_timestamp() - interval '24 hours'`,
      [uuidOf('org', organizationId), callId],
    );
    const row = rows[0];
    if (!row) return null;
    const { state, request_hash: requestHash, whole_hash: wholeHash, answer, age: ageSeconds } = row;
    return { state, requestHash, wholeHash, answer, ageSeconds };
  }

  /** Records a call, begun or with its answer; a record older than 24 hours is written over. */
  async upsert(key: CallKey, state: 'STARTED' | 'DONE', answer: Outcome | null): Promise<void> {
    const { organizationId, callId, requestHash, wholeHash = null } = key;
    await this.sql.query(upsertSql, [uuidOf('org', organizationId), callId, requestHash, state, answer, wholeHash]);
  }

  /** Notes, at the end of a transaction that wrote something, that the call has an effect. */
  async updateEffected({ organizationId, callId }: CallKey): Promise<void> {
    await this.sql.query(
      `update executed_call set state = 'EFFECTED' where organization_id = $1 and call_id = $2 and state = 'STARTED'
         and pg_current_xact_id_if_assigned() is not null`,
      [uuidOf('org', organizationId), callId],
    );
  }

  /** Forgets a call that had no effect and must be allowed to run again. */
  async deleteStarted({ organizationId, callId }: CallKey): Promise<void> {
    await this.sql.query(
      `delete from executed_call where organization_id = $1 and call_id = $2 and state = 'STARTED'`,
      [uuidOf('org', organizationId), callId],
    );
  }

  /** Forgets some calls that are older than 24 hours. @returns how many */
  async deleteExpired(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with old as (select ctid from executed_call where created_at < clock_timestamp() - interval '24 hours' limit $1),
       gone as (delete from executed_call where ctid in (select ctid from old) returning 1) select count(*)::int as n from gone`,
      [atOnce],
    );
    return rows[0]!.n;
  }
}

const startSql = prepared(
  'start call',
  `insert into executed_call (organization_id, call_id, request_hash, state, whole_hash)
   select $1, $2, $3, 'STARTED', $5 where pg_try_advisory_xact_lock(hashtextextended($4, 0))
   on conflict do nothing returning 1`,
);

const lockSql = prepared('lock call', `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held`);

const upsertSql = prepared(
  'record call',
  `insert into executed_call (organization_id, call_id, request_hash, state, answer, whole_hash) values ($1, $2, $3, $4, $5, $6)
   on conflict (organization_id, call_id) do update set request_hash = excluded.request_hash, state = excluded.state,
     answer = excluded.answer, whole_hash = excluded.whole_hash, created_at = clock_timestamp()`,
);
