import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { importPieceBytes } from '#contracts';
import type { ImportCheck, ImportColumn, ImportOptions, importStates } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { FileFormat, ImportEncoding } from './file-format.js';
import { errorHeader } from './job-batch.js';
import type { FilePlace } from './record-reader.js';

/** Days for which a file and its refused rows are kept after the last change. */
export const importKeptDays = 7;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export type ImportStatus = (typeof importStates)[number];

/** The mapping of an import; `isInferred` if the caller gave none. */
export interface ImportMapping {
  columns: ImportColumn[];
  isInferred: boolean;
}

export interface ImportCounts {
  done: number;
  imported: number;
  updated: number;
  unchanged: number;
  failed: number;
}

export interface ImportRecord {
  id: string;
  name: string | null;
  state: ImportStatus;
  source: 'FILE' | 'ROWS' | null;
  delimiter: string | null;
  encoding: ImportEncoding | null;
  format: FileFormat | null;
  columns: string[] | null;
  receivedBytes: number;
  rowsAdded: number;
  mapping: ImportMapping | null;
  options: ImportOptions | null;
  checked: ImportCheck | null;
  startedBy: { kind: string; id: string | null } | null;
  rows: number | null;
  counts: ImportCounts;
  failure: string | null;
  errorChunks: number;
  createdAt: Date;
  startedAt: Date | null;
  advancedAt: Date | null;
  finishedAt: Date | null;
}

export interface ImportRow {
  organization_id: string;
  import_id: string;
  name: string | null;
  state: ImportStatus;
  source: 'FILE' | 'ROWS' | null;
  delimiter: string | null;
  encoding: ImportEncoding | null;
  format: FileFormat | null;
  columns: string[] | null;
  received_bytes: number;
  rows_added: number;
  mapping: ImportMapping | null;
  options: ImportOptions | null;
  checked: ImportCheck | null;
  started_by: { kind: string; id: string | null } | null;
  rows_total: number | null;
  read_bytes: number;
  read_lines: number;
  rows_done: number;
  imported: number;
  updated: number;
  unchanged: number;
  failed: number;
  failure: string | null;
  error_chunks: number;
  fence: string;
  tries: number;
  created_at: Date;
  started_at: Date | null;
  advanced_at: Date | null;
  finished_at: Date | null;
}

export const importColumns = `organization_id, import_id, name, state, source, delimiter, encoding, format, columns,
  received_bytes::float8 as received_bytes, rows_added, mapping, options, started_by, rows_total,
  read_bytes::float8 as read_bytes, read_lines, rows_done, imported, updated, unchanged, failed, failure, error_chunks,
  fence::text as fence, tries, created_at, started_at, advanced_at, finished_at`;
export const importKey = (organizationId: string, importId: string) => [
  uuidOf('org', organizationId),
  uuidOf('imp', importId),
];

const recordOf = (row: ImportRow): ImportRecord => ({
  id: wireId('imp', row.import_id),
  name: row.name,
  state: row.state,
  source: row.source,
  delimiter: row.delimiter,
  encoding: row.encoding,
  format: row.format,
  columns: row.columns,
  receivedBytes: row.received_bytes,
  rowsAdded: row.rows_added,
  mapping: row.mapping,
  options: row.options,
  checked: row.checked ?? null,
  startedBy: row.started_by,
  rows: row.rows_total,
  counts: {
    done: row.rows_done,
    imported: row.imported,
    updated: row.updated,
    unchanged: row.unchanged,
    failed: row.failed,
  },
  failure: row.failure,
  errorChunks: row.error_chunks,
  createdAt: row.created_at,
  startedAt: row.started_at,
  advancedAt: row.advanced_at,
  finishedAt: row.finished_at,
});

export class ImportRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Counts the imports of an organization that have not ended; concurrent counts of the organization wait for this
   * transaction.
   */
  async countOpenLocked(organizationId: string): Promise<number> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('open imports ' || $1, 0))`, [organizationId]);
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from subscriber_import
       where organization_id = $1 and state not in ('DONE', 'FAILED', 'CANCELED')`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!.n;
  }

  async insert(
    organizationId: string,
    created: { id: string; name: string | null; delimiter: string | null; encoding: string | null; now: Date },
  ): Promise<ImportRecord> {
    const rows: ImportRow[] = await this.sql.query(
      `insert into subscriber_import (organization_id, import_id, name, state, delimiter, encoding, created_at, changed_at)
       values ($1, $2, $3, 'NEW', $4, $5, $6, clock_timestamp()) returning ${importColumns}, checked`,
      [...importKey(organizationId, created.id), created.name, created.delimiter, created.encoding, created.now],
    );
    return recordOf(rows[0]!);
  }

  /** @returns null when there is no such import (any more) */
  async find(organizationId: string, importId: string): Promise<ImportRecord | null> {
    return await this.#find(organizationId, importId, '');
  }

  async lock(organizationId: string, importId: string): Promise<ImportRecord | null> {
    return await this.#find(organizationId, importId, 'for update');
  }

  async #find(organizationId: string, importId: string, lock: string): Promise<ImportRecord | null> {
    const rows: ImportRow[] = await this.sql.query(
      `select ${importColumns}, checked from subscriber_import where organization_id = $1 and import_id = $2 ${lock}`,
      importKey(organizationId, importId),
    );
    return rows[0] ? recordOf(rows[0]) : null;
  }

  /** A page of imports, newest first; their checks are left out. */
  async list(
    organizationId: string,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ imports: ImportRecord[]; more: boolean }> {
    const rows: ImportRow[] = await this.sql.query(
      `select ${importColumns} from subscriber_import
       where organization_id = $1 and ($2::uuid is null or import_id < $2) order by import_id desc limit $3`,
      [uuidOf('org', organizationId), after === null ? null : uuidOf('imp', after), limit + 1],
    );
    return { imports: rows.slice(0, limit).map(recordOf), more: rows.length > limit };
  }

  /** Appends bytes to the file of a locked import, whose size is `receivedBytes`. */
  async appendBytes(
    organizationId: string,
    { id, receivedBytes }: Pick<ImportRecord, 'id' | 'receivedBytes'>,
    { bytes, state, source }: { bytes: Buffer; state: 'UPLOADING' | 'UPLOADED'; source: 'FILE' | 'ROWS' },
  ): Promise<ImportRecord> {
    const place = receivedBytes % importPieceBytes;
    const first = Math.floor(receivedBytes / importPieceBytes);
    const before = place > 0 && bytes.length > 0 ? await this.findPiece(organizationId, id, first) : null;
    const whole = before ? Buffer.concat([before, bytes]) : bytes;
    for (let at = 0; at < whole.length; at += importPieceBytes) {
      await this.sql.query(
        `insert into subscriber_import_piece (organization_id, import_id, piece_no, content) values ($1, $2, $3, $4)
         on conflict (organization_id, import_id, piece_no) do update set content = excluded.content`,
        [
          ...importKey(organizationId, id),
          first + at / importPieceBytes,
          await compress(whole.subarray(at, at + importPieceBytes)),
        ],
      );
    }
    return await this.#update(organizationId, id, `received_bytes = received_bytes + $3, state = $4, source = $5`, [
      bytes.length,
      state,
      source,
    ]);
  }

  async updateRows(organizationId: string, importId: string, names: readonly string[], added: number): Promise<void> {
    await this.#update(organizationId, importId, `columns = $3, rows_added = rows_added + $4`, [names, added]);
  }

  /** Bytes of the file that begin at a multiple of 1 MiB. @returns null behind the end */
  async findPiece(organizationId: string, importId: string, pieceNo: number): Promise<Buffer | null> {
    const rows: { content: Buffer }[] = await this.sql.query(
      `select content from subscriber_import_piece where organization_id = $1 and import_id = $2 and piece_no = $3`,
      [...importKey(organizationId, importId), pieceNo],
    );
    return rows[0] ? await decompress(rows[0].content) : null;
  }

  /** The import is locked. */
  async updateQueued(
    organizationId: string,
    importId: string,
    job: {
      state: 'CHECKING' | 'RUNNING';
      format: FileFormat;
      columns: readonly string[];
      mapping: ImportMapping;
      options: ImportOptions;
      place: FilePlace;
      startedBy: ImportRecord['startedBy'];
      now: Date;
    },
  ): Promise<ImportRecord> {
    const { state, place, startedBy } = job;
    return await this.#update(
      organizationId,
      importId,
      `state = $3, format = $4, columns = $5, mapping = $6, options = $7, read_bytes = $8, read_lines = $9,
       started_by = case when $3 = 'RUNNING' then $10::jsonb else started_by end,
       checked = case when $3 = 'RUNNING' then checked end, rows_done = 0, imported = 0, updated = 0, unchanged = 0,
       failed = 0, failure = null, tries = 0, owner = null, until = null, started_at = $11, advanced_at = $11`,
      [
        ...[state, JSON.stringify(job.format), job.columns, JSON.stringify(job.mapping), JSON.stringify(job.options)],
        ...[place.bytes, place.lines, JSON.stringify(startedBy), job.now],
      ],
    );
  }

  /** Cancels a locked import and deletes its file. */
  async updateCanceled(organizationId: string, importId: string): Promise<ImportRecord> {
    for (const table of ['subscriber_import_piece', 'subscriber_import_trial'])
      await this.sql.query(
        `delete from ${table} where organization_id = $1 and import_id = $2`,
        importKey(organizationId, importId),
      );
    return await this.#update(
      organizationId,
      importId,
      `state = 'CANCELED', owner = null, until = null, finished_at = clock_timestamp()`,
      [],
    );
  }

  async #update(organizationId: string, importId: string, changes: string, params: unknown[]): Promise<ImportRecord> {
    const [rows]: [ImportRow[]] = await this.sql.query(
      `update subscriber_import set ${changes}, changed_at = clock_timestamp()
       where organization_id = $1 and import_id = $2 returning ${importColumns}, checked`,
      [...importKey(organizationId, importId), ...params],
    );
    return recordOf(rows[0]!);
  }

  /** The size of the file of refused rows of an import that has ended. @returns null for any other */
  async findErrorFile(
    organizationId: string,
    importId: string,
  ): Promise<{ createdAt: Date; chunks: number; bytes: number } | null> {
    const rows: { created_at: Date; chunks: number; bytes: number; columns: string[] }[] = await this.sql.query(
      `select created_at, error_chunks as chunks, error_bytes::float8 as bytes, columns from subscriber_import
       where organization_id = $1 and import_id = $2 and error_chunks > 0
         and finished_at > clock_timestamp() - interval '${importKeptDays} days'`,
      importKey(organizationId, importId),
    );
    const [row] = rows;
    if (!row) return null;
    const header = await compress(errorHeader(row.columns));
    return { createdAt: row.created_at, chunks: row.chunks + 1, bytes: row.bytes + header.length };
  }

  /** One chunk of the refused rows: a whole gzip member; the first is the header. */
  async findErrorChunk(organizationId: string, importId: string, chunk: number): Promise<Buffer | null> {
    if (chunk === 0) {
      const found = await this.find(organizationId, importId);
      return found?.columns ? await compress(errorHeader(found.columns)) : null;
    }
    const rows: { content: Buffer }[] = await this.sql.query(
      `select content from subscriber_import_error_chunk where organization_id = $1 and import_id = $2 and chunk_no = $3`,
      [...importKey(organizationId, importId), chunk],
    );
    return rows[0]?.content ?? null;
  }

  /** Deletes some imports that have not changed for a week, with their files. @returns how many */
  async deleteOld(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with old as (delete from subscriber_import where (organization_id, import_id) in (
         select organization_id, import_id from subscriber_import
         where changed_at < clock_timestamp() - interval '${importKeptDays} days' and state not in ('CHECKING', 'RUNNING')
         limit 20)
         returning organization_id, import_id),
       pieces as (delete from subscriber_import_piece p using old o
         where p.organization_id = o.organization_id and p.import_id = o.import_id),
       errors as (delete from subscriber_import_error_chunk e using old o
         where e.organization_id = o.organization_id and e.import_id = o.import_id),
       trial as (delete from subscriber_import_trial t using old o
         where t.organization_id = o.organization_id and t.import_id = o.import_id)
       select count(*)::int as n from old`,
    );
    return rows[0]!.n;
  }
}
