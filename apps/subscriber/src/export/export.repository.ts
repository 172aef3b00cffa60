import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Column, DataRequest, ExportRequest } from './export.js';

/** Days for which a finished file is kept; after that the export does not exist for callers. */
const keptDays = 7;
const listedMax = 10;
/** Seconds without a renewal after which another process takes over an export. */
const leaseSeconds = 30;

export type ExportStatus = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED';

export interface ExportState {
  id: string;
  status: ExportStatus;
  rowsDone: number;
  rowsTotal: number | null;
  failure: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

export interface ClaimedExport {
  organizationId: string;
  id: string;
  request: ExportRequest | DataRequest;
  fence: string;
  /** Null until the first claim decided them. */
  columns: Column[] | null;
  /** Where the file goes on; null at its start. */
  lastSubscriberId: string | null;
  chunks: number;
}

interface StateRow {
  export_id: string;
  state: ExportStatus;
  rows_done: number;
  rows_total: number | null;
  failure: string | null;
  created_at: Date;
  finished_at: Date | null;
}
const stateOf = (row: StateRow): ExportState => ({
  id: wireId('exp', row.export_id),
  status: row.state,
  rowsDone: row.rows_done,
  rowsTotal: row.rows_total,
  failure: row.failure,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});
const stateColumns = 'export_id, state, rows_done, rows_total, failure, created_at, finished_at';
const mine = `organization_id = $1 and export_id = $2 and owner = $3 and fence = $4 and state = 'RUNNING'`;

export class ExportRepository {
  constructor(private readonly sql: Sql) {}

  async insert(
    organizationId: string,
    exportId: string,
    request: ExportRequest | DataRequest,
    now: Date,
  ): Promise<void> {
    await this.sql.query(
      `insert into export (organization_id, export_id, request, state, created_at) values ($1, $2, $3, 'QUEUED', $4)`,
      [uuidOf('org', organizationId), uuidOf('exp', exportId), JSON.stringify(request), now],
    );
  }

  /** @returns null when there is no such export (any more) */
  async find(organizationId: string, exportId: string): Promise<ExportState | null> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from export where organization_id = $1 and export_id = $2`,
      [uuidOf('org', organizationId), uuidOf('exp', exportId)],
    );
    return rows[0] ? stateOf(rows[0]) : null;
  }

  async listNewest(organizationId: string): Promise<ExportState[]> {
    const rows: StateRow[] = await this.sql.query(
      `select ${stateColumns} from export where organization_id = $1 order by export_id desc limit ${listedMax}`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(stateOf);
  }

  /**
   * Counts the QUEUED and RUNNING exports of an organization; concurrent counts of the organization wait for this
   * transaction.
   */
  async countOpenLocked(organizationId: string): Promise<number> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('open exports ' || $1, 0))`, [organizationId]);
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from export where organization_id = $1 and state in ('QUEUED', 'RUNNING')`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!.n;
  }

  /**
   * Claims the longest waiting export (new, released, or abandoned by a process that died) of the organization that was
   * served longest ago.
   */
  async claim(owner: string): Promise<ClaimedExport | null> {
    const [rows]: [
      {
        organization_id: string;
        export_id: string;
        request: ExportRequest | DataRequest;
        fence: string;
        columns: Column[] | null;
        last_subscriber_id: string | null;
        chunks: number;
      }[],
    ] = await this.sql.query(
      `update export e set state = 'RUNNING', owner = $1, fence = e.fence + 1, claimed_at = clock_timestamp(),
         until = clock_timestamp() + interval '${leaseSeconds} s'
       where (organization_id, export_id) = (
         select organization_id, export_id from export w
         where state = 'QUEUED' or state = 'RUNNING' and until < clock_timestamp()
         order by (select max(s.claimed_at) from export s where s.organization_id = w.organization_id) nulls first, created_at
         limit 1 for update skip locked)
       returning organization_id, export_id, request, fence::text as fence, columns, last_subscriber_id, chunks`,
      [owner],
    );
    const [row] = rows;
    if (!row) return null;
    return {
      organizationId: wireId('org', row.organization_id),
      id: wireId('exp', row.export_id),
      request: row.request,
      fence: row.fence,
      columns: row.columns,
      lastSubscriberId: row.last_subscriber_id && wireId('sub', row.last_subscriber_id),
      chunks: row.chunks,
    };
  }

  /** Stores the columns and the expected number of rows. @returns false when another process has the export now */
  async updateStarted(
    claimed: ClaimedExport,
    owner: string,
    { columns, rowsTotal }: { columns: readonly Column[]; rowsTotal: number },
  ): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update export set columns = $5, rows_total = $6 where ${mine} returning 1`,
      [...keyOf(claimed, owner), JSON.stringify(columns), rowsTotal],
    );
    return rows.length > 0;
  }

  async renew(claimed: ClaimedExport, owner: string): Promise<void> {
    await this.sql.query(
      `update export set until = clock_timestamp() + interval '${leaseSeconds} s' where ${mine}`,
      keyOf(claimed, owner),
    );
  }

  async release(claimed: ClaimedExport, owner: string): Promise<void> {
    await this.sql.query(
      `update export set until = clock_timestamp() - interval '1 ms' where ${mine}`,
      keyOf(claimed, owner),
    );
  }

  /**
   * Adds a page to the file, in the caller's transaction: its pieces and the next position.
   * @returns false when another process has the export now; then nothing was written
   */
  async addPage(
    claimed: ClaimedExport,
    owner: string,
    page: { pieces: readonly Buffer[]; rows: number; lastSubscriberId: string | null },
  ): Promise<boolean> {
    const bytes = page.pieces.reduce((sum, piece) => sum + piece.length, 0);
    const [rows]: [{ chunks: number }[]] = await this.sql.query(
      `update export set rows_done = rows_done + $5, last_subscriber_id = coalesce($6, last_subscriber_id), chunks = chunks + $7,
         bytes = bytes + $8 where ${mine} returning chunks`,
      [...keyOf(claimed, owner), page.rows, uuidOf('sub', page.lastSubscriberId), page.pieces.length, bytes],
    );
    if (!rows[0]) return false;
    const first = rows[0].chunks - page.pieces.length;
    for (const [place, piece] of page.pieces.entries()) {
      await this.sql.query(
        `insert into export_chunk (organization_id, export_id, chunk_no, content) values ($1, $2, $3, $4)`,
        [...keyOf(claimed, owner).slice(0, 2), first + place, piece],
      );
    }
    return true;
  }

  /**
   * Stores a complete file and ends its export, in the caller's transaction.
   * @returns as `addPage`
   */
  async addWhole(claimed: ClaimedExport, owner: string, pieces: readonly Buffer[]): Promise<boolean> {
    if (!(await this.updateStarted(claimed, owner, { columns: [], rowsTotal: 1 }))) return false;
    await this.addPage(claimed, owner, { pieces, rows: 1, lastSubscriberId: null });
    await this.updateFinished(claimed, owner, null);
    return true;
  }

  /** Ends an export; a failed one keeps no pieces. */
  async updateFinished(claimed: ClaimedExport, owner: string, failure: string | null): Promise<void> {
    await this.sql.query(
      `with ended as (
         update export set state = $5, failure = $6, finished_at = clock_timestamp(), owner = null, until = null
         where ${mine} returning organization_id, export_id, state)
       delete from export_chunk c using ended e
       where c.organization_id = e.organization_id and c.export_id = e.export_id and e.state = 'FAILED'`,
      [...keyOf(claimed, owner), failure === null ? 'DONE' : 'FAILED', failure],
    );
  }

  /** The size of a file that is done and kept. @returns null for any other */
  async findFile(
    organizationId: string,
    exportId: string,
  ): Promise<{ createdAt: Date; ofSubscriber: boolean; chunks: number; bytes: number } | null> {
    const rows: { created_at: Date; of_subscriber: boolean; chunks: number; bytes: number }[] = await this.sql.query(
      `select created_at, request ? 'subscriberId' as of_subscriber, chunks, bytes::float8 as bytes from export where organization_id = $1 and export_id = $2
       and state = 'DONE' and finished_at > clock_timestamp() - interval '${keptDays} days'`,
      [uuidOf('org', organizationId), uuidOf('exp', exportId)],
    );
    const [row] = rows;
    return row
      ? { createdAt: row.created_at, ofSubscriber: row.of_subscriber, chunks: row.chunks, bytes: row.bytes }
      : null;
  }

  async findChunk(organizationId: string, exportId: string, chunk: number): Promise<Buffer | null> {
    const rows: { content: Buffer }[] = await this.sql.query(
      `select content from export_chunk where organization_id = $1 and export_id = $2 and chunk_no = $3`,
      [uuidOf('org', organizationId), uuidOf('exp', exportId), chunk],
    );
    return rows[0]?.content ?? null;
  }

  async deleteOld(): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `with old as (delete from export where (organization_id, export_id) in (
         select organization_id, export_id from export where finished_at < clock_timestamp() - interval '${keptDays} days' limit 100)
         returning organization_id, export_id),
       pieces as (delete from export_chunk c using old o where c.organization_id = o.organization_id and c.export_id = o.export_id)
       select count(*)::int as n from old`,
    );
    return rows[0]!.n;
  }
}

const keyOf = ({ organizationId, id, fence }: ClaimedExport, owner: string) => [
  uuidOf('org', organizationId),
  uuidOf('exp', id),
  owner,
  fence,
];
