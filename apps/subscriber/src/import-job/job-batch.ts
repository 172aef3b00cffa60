import type { ImportOptions } from '#contracts';
import { csvRecord, guarded } from '#csv';
import { joinRows } from '../import/import.js';
import { parseProfile, refusalOf } from '../subscriber/profile.js';
import type { ProfileInput } from '../subscriber/profile.js';
import type { JobRow, RowMapper, RowRefusal } from './job-row.js';
import type { FilePlace, FileRecord } from './record-reader.js';

/** Rows whose effect is one transaction, and the place after them. */
export interface RecordBatch {
  records: FileRecord[];
  place: FilePlace;
}

export interface RefusedRecord extends RowRefusal {
  record: FileRecord;
  email: string | null;
}

export interface PreparedBatch {
  /** One a mailbox. */
  inputs: ProfileInput[];
  recordsOf: Map<string, FileRecord[]>;
  refused: RefusedRecord[];
}

/** Collects the rows of a batch; rows with the same mailbox are merged, as if saved by separate calls. */
export class BatchBuilder {
  readonly #rowsOf = new Map<string, { inputs: ProfileInput[]; records: FileRecord[] }>();
  readonly #refused: RefusedRecord[] = [];

  constructor(
    private readonly mapper: RowMapper,
    private readonly mode: ImportOptions['mode'],
  ) {}

  add(record: FileRecord): void {
    if ('problem' in record) return this.#refuse(record, { code: 'ROW_INVALID', message: record.problem });
    const read = this.mapper.read(record.cells);
    if ('refusal' in read) return this.#refuse(record, read.refusal);
    const profile = toProfile(read.row);
    if ('refusal' in profile) return this.#refuse(record, profile.refusal);
    const { input } = profile;
    const same = this.#rowsOf.get(input.emailKey);
    if (same) {
      same.inputs.push(input);
      same.records.push(record);
    } else this.#rowsOf.set(input.emailKey, { inputs: [input], records: [record] });
  }

  #refuse(record: FileRecord, refusal: RowRefusal): void {
    const email = 'cells' in record ? this.mapper.emailOf(record.cells) : null;
    this.#refused.push({ ...refusal, record, email });
  }

  build(): PreparedBatch {
    // A further row of an address is one of an existing subscriber, which CREATE_ONLY leaves out.
    const merge = (inputs: ProfileInput[]) => (this.mode === 'CREATE_ONLY' ? inputs[0]! : joinRows(inputs));
    return {
      inputs: [...this.#rowsOf.values()].map(({ inputs }) => merge(inputs)),
      recordsOf: new Map([...this.#rowsOf].map(([key, { records }]) => [key, records])),
      refused: this.#refused,
    };
  }
}

function toProfile({ clears, ...row }: JobRow): { input: ProfileInput } | { refusal: RowRefusal } {
  const read = parseProfile(row);
  if (!read.ok) {
    const { refusal } = read;
    const message = refusal.problem === 'EMAIL_INVALID' ? refusal.issue.message : refusalOf(refusal).message;
    return { refusal: { code: refusal.problem, message } };
  }
  const input = read.person;
  if (clears.country) input.country ??= null;
  if (clears.ip) input.ip ??= null;
  return { input };
}

export const errorHeader = (columns: readonly string[]): string =>
  csvRecord(['line', 'code', 'message', ...columns.map(guarded)]);

/** A refused row behind its line, code and message; texts that a spreadsheet would read as formulas are guarded. */
export const errorRecord = ({ record, code, message }: RefusedRecord): string =>
  csvRecord([
    String(record.line),
    code,
    guarded(message),
    ...('cells' in record ? record.cells.map((cell) => guarded(cell)) : []),
  ]);
