import { importRowsMax } from '#contracts';
import type { CsvRecord } from './csv-record.js';
import type { Column } from './csv-header.js';
import { rowOf } from './csv-row.js';
import type { ImportRow } from './csv-row.js';
import type { RefusedRow } from './row-report.js';

/** Rows of one call, with their line numbers. */
export interface Batch {
  rows: ImportRow[];
  lines: number[];
}

/** Keeps a call below the bus's limit of 8 MB, even with letters of three bytes and escapes. */
const lettersMax = 1_500_000;

/** Groups the rows of a file into calls; rows that cannot be sent go to `refuse`. */
export async function* inBatches(
  records: AsyncIterable<CsvRecord>,
  columns: readonly Column[],
  { tags, refuse }: { tags: readonly string[]; refuse: (row: RefusedRow) => void },
): AsyncGenerator<Batch> {
  let batch: Batch = { rows: [], lines: [] };
  let letters = 0;
  for await (const record of records) {
    const { line } = record;
    const read = 'problem' in record ? { ...record, email: null } : rowOf(columns, record.cells, tags);
    if ('problem' in read) {
      refuse({ line, email: read.email, reason: read.problem });
      continue;
    }
    const size = JSON.stringify(read.row).length;
    if (batch.rows.length === importRowsMax || (letters > 0 && letters + size > lettersMax)) {
      yield batch;
      [batch, letters] = [{ rows: [], lines: [] }, 0];
    }
    batch.rows.push(read.row);
    batch.lines.push(line);
    letters += size;
  }
  if (batch.rows.length > 0) yield batch;
}
