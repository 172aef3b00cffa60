import { importPieceBytes } from '#contracts';
import type { ClaimedImport } from './import-queue.repository.js';
import type { ImportRepository } from './import.repository.js';
import type { RecordBatch } from './job-batch.js';
import { RecordReader } from './record-reader.js';
import type { FilePlace, FileRecord } from './record-reader.js';

/** Rows of a batch, and bytes of the file after which it ends earlier. */
const rowsMax = 1_000;
const bytesMax = 2 * 1024 * 1024;

/** Reads the rows of an import's file in batches; the same place always begins the same batches. */
export class FileBatches {
  readonly #reader: RecordReader;
  #pieceNo: number;
  #isRead = false;

  constructor(
    private readonly imports: ImportRepository,
    private readonly claimed: Pick<ClaimedImport, 'organizationId' | 'id' | 'format' | 'columns' | 'receivedBytes'>,
    private readonly place: FilePlace,
  ) {
    this.#reader = new RecordReader(claimed.format, claimed.columns.length, place);
    this.#pieceNo = Math.floor(place.bytes / importPieceBytes);
  }

  /** @returns null behind the last row */
  async next(): Promise<RecordBatch | null> {
    const records: FileRecord[] = [];
    const first = this.#reader.place.bytes;
    let { place } = this.#reader;
    while (records.length < rowsMax && place.bytes - first < bytesMax) {
      const record = this.#reader.next();
      if (record) {
        records.push(record);
        place = this.#reader.place;
      } else if (!(await this.#readPiece())) break;
    }
    return records.length > 0 ? { records, place } : null;
  }

  /** @returns false when the whole file was read */
  async #readPiece(): Promise<boolean> {
    if (this.#isRead) return false;
    const { organizationId, id, receivedBytes } = this.claimed;
    const start = this.#pieceNo * importPieceBytes;
    const piece = start < receivedBytes ? await this.imports.findPiece(organizationId, id, this.#pieceNo) : null;
    this.#pieceNo += 1;
    this.#isRead = this.#pieceNo * importPieceBytes >= receivedBytes;
    if (!piece && start < receivedBytes) throw new Error(`piece ${this.#pieceNo - 1} of import ${id} is gone`);
    this.#reader.push((piece ?? Buffer.alloc(0)).subarray(Math.max(0, this.place.bytes - start)), this.#isRead);
    return true;
  }
}
