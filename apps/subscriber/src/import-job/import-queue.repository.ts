import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ImportCheck, ImportOptions } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { FileFormat } from './file-format.js';
import { importColumns, importKey } from './import.repository.js';
import type { ImportCounts, ImportMapping, ImportRow } from './import.repository.js';
import type { FilePlace } from './record-reader.js';

/** Seconds without a renewal after which another process takes over an import. */
const leaseSeconds = 30;

const compress = promisify(gzip);

export interface ClaimedImport {
  organizationId: string;
  id: string;
  state: 'CHECKING' | 'RUNNING';
  fence: string;
  format: FileFormat;
  columns: string[];
  mapping: ImportMapping;
  options: ImportOptions;
  receivedBytes: number;
  place: FilePlace;
  done: number;
  /** Claims since the last progress. */
  tries: number;
}

/** A batch of a run: its places, its counts, and its refused rows. */
export interface ImportStep {
  from: FilePlace;
  place: FilePlace;
  counts: ImportCounts;
  errors: string;
}

const mine = `organization_id = $1 and import_id = $2 and owner = $3 and fence = $4 and state in ('CHECKING', 'RUNNING')`;

export class ImportQueueRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Claims the longest waiting check or run (new, released, or abandoned by a process that died) of the organization
   * that was served longest ago.
   */
  async claim(owner: string): Promise<ClaimedImport | null> {
    const [rows]: [ImportRow[]] = await this.sql.query(
      `update subscriber_import set owner = $1, fence = fence + 1, tries = tries + 1, claimed_at = clock_timestamp(),
         until = clock_timestamp() + interval '${leaseSeconds} s'
       where (organization_id, import_id) = (
         select organization_id, import_id from subscriber_import w
         where state in ('CHECKING', 'RUNNING') and (until is null or until < clock_timestamp())
         order by (select max(s.claimed_at) from subscriber_import s where s.organization_id = w.organization_id) nulls first,
           created_at
         limit 1 for update skip locked)
       returning ${importColumns}`,
      [owner],
    );
    const [row] = rows;
    if (!row) return null;
    return {
      organizationId: wireId('org', row.organization_id),
      id: wireId('imp', row.import_id),
      state: row.state as ClaimedImport['state'],
      fence: row.fence,
      format: row.format!,
      columns: row.columns!,
      mapping: row.mapping!,
      options: row.options!,
      receivedBytes: row.received_bytes,
      place: { bytes: row.read_bytes, lines: row.read_lines },
      done: row.rows_done,
      tries: row.tries,
    };
  }

  /** Holds the batch that begins at a place until the end of the transaction; waits for the transaction that holds it. */
  async lockBatch({ id }: ClaimedImport, from: FilePlace): Promise<void> {
    await this.sql.query(
      `select pg_advisory_xact_lock(hashtextextended('batch of ' || $1 || ' from ' || $2::text, 0))`,
      [id, from.bytes],
    );
  }

  async renew(claimed: ClaimedImport, owner: string): Promise<void> {
    await this.sql.query(
      `update subscriber_import set until = clock_timestamp() + interval '${leaseSeconds} s' where ${mine}`,
      ownKey(claimed, owner),
    );
  }

  async release(claimed: ClaimedImport, owner: string): Promise<void> {
    await this.sql.query(`update subscriber_import set until = null where ${mine}`, ownKey(claimed, owner));
  }

  /**
   * Records a batch of a run, in the transaction of its effect.
   * @returns false when the import is canceled, another process has it now, or the batch before is not written; then
   * nothing was written
   */
  async updateAdvanced(
    claimed: ClaimedImport,
    owner: string,
    { from, place, counts, errors }: ImportStep,
  ): Promise<boolean> {
    const content = errors === '' ? null : await compress(errors);
    const [rows]: [{ error_chunks: number }[]] = await this.sql.query(
      `update subscriber_import set read_bytes = $5, read_lines = $6, rows_done = rows_done + $7, imported = imported + $8,
         updated = updated + $9, unchanged = unchanged + $10, failed = failed + $11, error_chunks = error_chunks + $12,
         error_bytes = error_bytes + $13, tries = 0, advanced_at = clock_timestamp(), changed_at = clock_timestamp()
       where ${mine} and read_bytes = $14 returning error_chunks`,
      [
        ...ownKey(claimed, owner),
        ...[place.bytes, place.lines, counts.done, counts.imported, counts.updated, counts.unchanged, counts.failed],
        ...[content ? 1 : 0, content?.length ?? 0, from.bytes],
      ],
    );
    if (!rows[0]) return false;
    if (content) {
      await this.sql.query(
        `insert into subscriber_import_error_chunk (organization_id, import_id, chunk_no, content) values ($1, $2, $3, $4)`,
        [...importKey(claimed.organizationId, claimed.id), rows[0].error_chunks, content],
      );
    }
    return true;
  }

  /** Shows how far a check is. @returns false when it is canceled, or another process has it now */
  async updateTried(claimed: ClaimedImport, owner: string, done: number): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update subscriber_import set rows_done = $5, advanced_at = clock_timestamp() where ${mine} returning 1`,
      [...ownKey(claimed, owner), done],
    );
    return rows.length > 0;
  }

  /** Ends a check: CHECKED with its result and the mapping it used, or UPLOADED with the reason why it found none. */
  async updateChecked(
    claimed: ClaimedImport,
    owner: string,
    result: { check: ImportCheck; mapping: ImportMapping; rows: number } | { failure: string },
  ): Promise<void> {
    const found = 'check' in result ? result : null;
    await this.sql.query(
      `update subscriber_import set state = $5, checked = $6, mapping = coalesce($7, mapping), rows_total = $8, failure = $9,
         owner = null, until = null, changed_at = clock_timestamp()
       where ${mine}`,
      [
        ...ownKey(claimed, owner),
        ...(found
          ? ['CHECKED', JSON.stringify(found.check), JSON.stringify(found.mapping), found.rows, null]
          : ['UPLOADED', null, null, null, (result as { failure: string }).failure]),
      ],
    );
    await this.deleteTrial(claimed);
  }

  async updateFinished(claimed: ClaimedImport, owner: string, failure: string | null): Promise<void> {
    await this.sql.query(
      `update subscriber_import set state = $5, failure = $6, owner = null, until = null,
         rows_total = case when $6::text is null then rows_done else rows_total end,
         finished_at = clock_timestamp(), changed_at = clock_timestamp()
       where ${mine}`,
      [...ownKey(claimed, owner), failure === null ? 'DONE' : 'FAILED', failure],
    );
  }

  async listTrial<S>({ organizationId, id }: ClaimedImport, emailKeys: readonly string[]): Promise<Map<string, S>> {
    if (emailKeys.length === 0) return new Map();
    const rows: { email_key: string; state: S }[] = await this.sql.query(
      `select email_key, state from subscriber_import_trial
       where organization_id = $1 and import_id = $2 and email_key = any($3)`,
      [...importKey(organizationId, id), emailKeys],
    );
    return new Map(rows.map(({ email_key, state }) => [email_key, state]));
  }

  async upsertTrial({ organizationId, id }: ClaimedImport, states: ReadonlyMap<string, object>): Promise<void> {
    if (states.size === 0) return;
    await this.sql.query(
      `insert into subscriber_import_trial (organization_id, import_id, email_key, state)
       select $1, $2, r.key, r.state from jsonb_to_recordset($3::jsonb) r(key text, state jsonb)
       on conflict (organization_id, import_id, email_key) do update set state = excluded.state`,
      [...importKey(organizationId, id), JSON.stringify([...states].map(([email, state]) => ({ key: email, state })))],
    );
  }

  async deleteTrial({ organizationId, id }: Pick<ClaimedImport, 'organizationId' | 'id'>): Promise<void> {
    await this.sql.query(
      `delete from subscriber_import_trial where organization_id = $1 and import_id = $2`,
      importKey(organizationId, id),
    );
  }

  async listKnownKeys(organizationId: string, emailKeys: readonly string[]): Promise<Set<string>> {
    const rows: { email_key: string }[] = await this.sql.query(
      `select email_key from subscriber where organization_id = $1 and email_key = any($2)`,
      [uuidOf('org', organizationId), emailKeys],
    );
    return new Set(rows.map(({ email_key }) => email_key));
  }
}

const ownKey = ({ organizationId, id, fence }: ClaimedImport, owner: string) => [
  ...importKey(organizationId, id),
  owner,
  fence,
];
