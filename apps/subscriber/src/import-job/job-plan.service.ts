import { importColumnsMax } from '#contracts';
import type { ImportColumn, ImportHead, ImportOptions, Issue } from '#contracts';
import { TallyRepository } from '#database';
import type { Sql } from '#database';
import { assertWithinQuota, quotaOf, summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { roomRefusal } from '../field/field.js';
import { FieldRepository } from '../field/field.repository.js';
import { statusMetric } from '../subscriber/subscriber-change.service.js';
import { nameKey } from '../text/text.js';
import { detectFormat } from './file-format.js';
import type { FileFormat } from './file-format.js';
import { ImportRepository } from './import.repository.js';
import type { ImportMapping, ImportRecord } from './import.repository.js';
import { inferMapping, readMapping } from './mapping.js';
import { RecordReader } from './record-reader.js';
import type { FilePlace } from './record-reader.js';

/** Rows read to find a column of addresses without a heading that says so. */
const sampleRows = 50;
/** Rows of a head, and letters of each of their cells. */
const [headRows, headCellMax] = [5, 200];

export interface ImportPlan {
  format: FileFormat;
  columns: string[];
  mapping: ImportMapping;
  options: ImportOptions;
  place: FilePlace;
}

export class ImportPlanService {
  constructor(private readonly sql: Sql) {}

  /**
   * @param mapping the caller's; undefined to infer one
   * @throws ToolError MAPPING_INVALID
   */
  async plan(
    organizationId: string,
    record: ImportRecord,
    { mapping, options }: { mapping: readonly ImportColumn[] | undefined; options: ImportOptions },
  ): Promise<ImportPlan> {
    const { format, header, place, samples } = await this.#readHead(organizationId, record);
    const read = mapping
      ? readMapping(mapping, header)
      : readMapping(stripped(inferMapping(header, samples).columns), header);
    const issues = [...read.issues, ...(await this.#fieldIssues(organizationId, read.columns))];
    if (issues.length > 0) throw invalid(issues);
    return {
      format,
      columns: header,
      mapping: { columns: stripped(read.columns), isInferred: !mapping },
      options,
      place,
    };
  }

  /**
   * Shows the header and the first rows, before a check has read the file.
   * @returns undefined when there is no header that can be read
   */
  async head(organizationId: string, record: ImportRecord): Promise<ImportHead | undefined> {
    try {
      const { header, samples } = await this.#readHead(organizationId, record);
      const rows = samples.slice(0, headRows).map((cells) => cells.map((cell) => cell.slice(0, headCellMax)));
      return { columns: header, mapping: stripped(inferMapping(header, samples).columns), rows };
    } catch (error) {
      if (error instanceof ToolError && error.reason === 'MAPPING_INVALID') return undefined;
      throw error;
    }
  }

  async #readHead(organizationId: string, record: ImportRecord) {
    const head = await new ImportRepository(this.sql).findPiece(organizationId, record.id, 0);
    if (!head) throw invalid([{ path: [], message: 'the file is empty' }]);
    const format = detectFormat(head, record);
    const reader = new RecordReader(format, null, { bytes: format.startBytes, lines: 0 });
    reader.push(head.subarray(format.startBytes), record.receivedBytes <= head.length);
    const header = readHeader(reader, format);
    const { place } = reader;
    return { format, header, place, samples: readSamples(reader) };
  }

  async #fieldIssues(organizationId: string, columns: readonly ImportColumn[]): Promise<Issue[]> {
    const room = await new FieldRepository(this.sql).getRoom(organizationId);
    const added = columns.flatMap(({ field }, place) =>
      field !== undefined && !room.nameKeys.has(nameKey(field)) ? [place] : [],
    );
    const refusal = roomRefusal(room, added.length);
    return refusal ? [{ path: ['mapping', added.at(-1)!, 'field'], message: refusal.message }] : [];
  }

  /**
   * Refuses a run that the quota of contacts cannot hold: by the number of new subscribers of a check, or if there is
   * no room at all.
   * @throws ToolError QUOTA_REACHED
   */
  async assertQuota(caller: Caller, plan: ImportPlan, checked: ImportRecord['checked']): Promise<void> {
    if (plan.options.mode === 'UPDATE_ONLY' || quotaOf(caller, 'contacts') === null) return;
    const counts = await new TallyRepository(this.sql).listByKey(caller.organizationId, statusMetric);
    const used = [...counts.values()].reduce((a, b) => a + b, 0);
    if (checked?.new !== 0) assertWithinQuota(caller, 'contacts', { used, asked: checked?.new ?? 1 });
  }
}

function readHeader(reader: RecordReader, { delimiter }: FileFormat): string[] {
  let record = reader.next();
  // Excel names the delimiter in a line above the header.
  if (record && 'cells' in record && /^sep=/i.test(record.cells.join(delimiter))) record = reader.next();
  if (!record) throw invalid([{ path: [], message: 'the file has no header' }]);
  if ('problem' in record) {
    throw invalid([{ path: [], message: `the header, line ${record.line}, cannot be read: ${record.problem}` }]);
  }
  if (record.cells.length > importColumnsMax) {
    const message = `the file has ${record.cells.length} columns; at most ${importColumnsMax} are allowed`;
    throw invalid([{ path: [], message }]);
  }
  return record.cells.map((cell) => cell.trim());
}

function readSamples(reader: RecordReader): string[][] {
  const samples: string[][] = [];
  while (samples.length < sampleRows) {
    const record = reader.next();
    if (!record) break;
    if ('cells' in record) samples.push(record.cells);
  }
  return samples;
}

const stripped = (columns: readonly (ImportColumn & { at?: number })[]): ImportColumn[] =>
  columns.map(({ at: _, ...column }) => column);

const invalid = (issues: readonly Issue[]) =>
  new ToolError('MAPPING_INVALID', { summary: summarise(issues) }, { issues });

/**
 * Refuses a run with a date whose format is unknown: only a check reads all rows for it.
 * @throws ToolError MAPPING_INVALID
 */
export function assertFormats({ columns }: ImportMapping): void {
  const issues = columns.flatMap(({ type, format }, place) =>
    type === 'DATE' && format === undefined
      ? [{ path: ['mapping', place, 'format'], message: 'is required, or a check that infers it' }]
      : [],
  );
  if (issues.length > 0) throw invalid(issues);
}
