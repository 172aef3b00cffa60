import { FairYield } from '#concurrency';
import { importJobRowsMax } from '#contracts';
import type { ImportCheck } from '#contracts';
import type { Sql } from '#database';
import { FieldRepository } from '../field/field.repository.js';
import { addressOf } from '../subscriber/profile.js';
import type { ProfileInput } from '../subscriber/profile.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import type { KeyedState } from '../subscriber/subscriber.repository.js';
import { SubscriberTagRepository } from '../tag/subscriber-tag.repository.js';
import { nameKey } from '../text/text.js';
import { RepeatedAddresses } from './address-filter.js';
import { DateInference } from './date-value.js';
import type { BatchPreparation } from './batch-preparation.service.js';
import { FileBatches } from './file-batches.service.js';
import { ImportQueueRepository } from './import-queue.repository.js';
import type { ClaimedImport } from './import-queue.repository.js';
import { ImportRepository } from './import.repository.js';
import type { ImportMapping } from './import.repository.js';
import type { PreparedBatch, RefusedRecord } from './job-batch.js';
import { inferMapping, readMapping } from './mapping.js';
import type { MappedColumn } from './mapping.js';
import { RepeatedRows } from './repeated-rows.js';
import { countSubscriber } from './run.service.js';
import { tryProfile } from './trial.js';
import type { TrialState } from './trial.js';

/** Rows shown of those that fit, and of those that are refused. */
const [fittingShown, refusedShown] = [5, 20];
const rowsPerYield = 100;

export class TrialRefused extends Error {}

/** Reports the number of rows read so far. @returns false to stop */
type Progress = (done: number) => Promise<boolean>;

/**
 * Reads a file twice: to infer the formats of its dates and to find repeated addresses, and then to count what a run
 * would do. Memory does not depend on the size of the file.
 */
export class ImportTrialService {
  readonly #imports: ImportRepository;
  readonly #queue: ImportQueueRepository;
  readonly #people: SubscriberRepository;
  readonly #yield = new FairYield();
  #columns: MappedColumn[];
  readonly #suggestions: ImportCheck['suggestions'] = [];

  constructor(
    private readonly sql: Sql,
    private readonly preparation: BatchPreparation,
    private readonly claimed: ClaimedImport,
    private readonly zone: string,
  ) {
    this.#imports = new ImportRepository(sql);
    this.#queue = new ImportQueueRepository(sql);
    this.#people = new SubscriberRepository(sql);
    this.#columns = readMapping(claimed.mapping.columns, claimed.columns).columns;
    if (claimed.mapping.isInferred) this.#suggestions.push(...inferMapping(claimed.columns, []).suggestions);
  }

  /**
   * @returns the result; null when it was stopped
   * @throws TrialRefused when the format of a date cannot be inferred
   */
  async run(progress: Progress): Promise<{ check: ImportCheck; mapping: ImportMapping; rows: number } | null> {
    await this.#queue.deleteTrial(this.claimed);
    const repeated = new RepeatedAddresses(this.claimed.receivedBytes);
    const rows = await this.#survey(repeated, progress);
    if (rows === null) return null;
    const counted = await this.#count(repeated, progress);
    if (counted === null) return null;
    const { mapping, options, format } = this.claimed;
    const columns = this.#columns.map(({ at: _, ...column }) => column);
    const check: ImportCheck = {
      ...counted,
      suggestions: this.#suggestions,
      columns: this.claimed.columns,
      mapping: columns,
      options,
      delimiter: format.delimiter,
      encoding: format.encoding,
    };
    return { check, mapping: { ...mapping, columns }, rows };
  }

  /** Reads all rows for the formats of dates and for repeated addresses. @returns how many; null when it was stopped */
  async #survey(repeated: RepeatedAddresses, progress: Progress): Promise<number | null> {
    const emailAt = this.#columns.find(({ to }) => to === 'email')!.at;
    const isOpen = ({ to, type, format }: MappedColumn) =>
      to === 'field' && format === undefined && (type === 'DATE' || this.claimed.mapping.isInferred);
    const dates = this.#columns.filter(isOpen).map(({ at }) => ({ at, inference: new DateInference(this.zone) }));
    const batches = new FileBatches(this.#imports, this.claimed, this.claimed.place);
    let rows = 0;
    for (let batch = await batches.next(); batch; batch = await batches.next()) {
      for (const [place, record] of batch.records.entries()) {
        if (place % rowsPerYield === 0) await this.#yield.next(this.claimed.organizationId);
        if ('problem' in record) continue;
        const read = addressOf(record.cells[emailAt] ?? '');
        if (read.ok) repeated.add(read.address.emailKey);
        for (const { at, inference } of dates) {
          const text = record.cells[at]?.trim();
          if (text) inference.add(text);
        }
      }
      rows += batch.records.length;
      if (rows > importJobRowsMax) {
        throw new TrialRefused(`The file has more than ${importJobRowsMax.toLocaleString('en')} rows.`);
      }
      if (!(await progress(0))) return null;
    }
    const inferred = new Map(dates.map(({ at, inference }) => [at, inference]));
    this.#columns = this.#columns.map((column) => this.#withFormat(column, inferred.get(column.at)));
    return rows;
  }

  #withFormat(column: MappedColumn, inference: DateInference | undefined): MappedColumn {
    if (!inference) return column;
    const { formats, isDate } = inference;
    if (column.type === 'DATE') {
      if (formats.length === 1) return { ...column, format: formats[0] };
      const problem =
        formats.length === 0 ? 'no value is a date' : `the formats ${formats.join(' and ')} fit its values equally`;
      throw new TrialRefused(`Column "${column.column}": ${problem}. Name the format in the mapping.`);
    }
    if (!isDate) return column;
    if (formats.length === 1) return { ...column, type: 'DATE', format: formats[0] };
    const message = `All values are dates, and the formats ${formats.join(' and ')} fit equally. To import dates, name one in the mapping.`;
    this.#suggestions.push({ column: column.column, message, formats });
    return column;
  }

  async #count(
    repeated: RepeatedAddresses,
    progress: Progress,
  ): Promise<Pick<ImportCheck, 'new' | 'updated' | 'unchanged' | 'refused' | 'repeated' | 'samples'> | null> {
    const { claimed } = this;
    const { organizationId, options } = claimed;
    const shape = { columns: this.#columns, columnCount: claimed.columns.length, options, zone: this.zone };
    const counts = { imported: 0, updated: 0, unchanged: 0 };
    const refusals: ImportCheck['refused'] = {};
    const samples = { fitting: [] as ImportCheck['samples'], refused: [] as ImportCheck['samples'] };
    const batches = new FileBatches(this.#imports, claimed, claimed.place);
    const repeatedRows = new RepeatedRows();
    let done = 0;
    for (let batch = await batches.next(); batch; batch = await batches.next()) {
      const prepared = await this.preparation.run(organizationId, { ...shape, records: batch.records });
      const refused = [...prepared.refused, ...(await this.#tryBatch(prepared, repeated, counts))];
      for (const { code } of refused) refusals[code] = (refusals[code] ?? 0) + 1;
      const shown = refused.slice(0, refusedShown - samples.refused.length).map(refusedSample);
      samples.refused.push(...shown);
      for (const { email, emailKey } of prepared.inputs)
        if (repeated.has(emailKey)) repeatedRows.add(emailKey, email, prepared.recordsOf.get(emailKey)!);
      const missing = fittingShown - samples.fitting.length;
      if (missing > 0) samples.fitting.push(...fittingSamples(prepared, missing));
      done += batch.records.length;
      if (!(await progress(done))) return null;
    }
    const { imported, updated, unchanged } = counts;
    return {
      new: imported,
      updated,
      unchanged,
      refused: refusals,
      repeated: repeatedRows.result(),
      samples: [...samples.fitting, ...samples.refused],
    };
  }

  /** Counts what a run would do with the subscribers of a batch. @returns the rows it would refuse besides */
  async #tryBatch(
    prepared: PreparedBatch,
    repeated: RepeatedAddresses,
    counts: Parameters<typeof countSubscriber>[0],
  ): Promise<RefusedRecord[]> {
    const { mode, resubscribe } = this.claimed.options;
    const before = await this.#statesOf(prepared.inputs, repeated);
    const kept = new Map<string, TrialState>();
    const refused: RefusedRecord[] = [];
    const change = { via: 'import' as const, resubscribe, skipDoubleOptIn: false, doubleOptIn: false };
    for (const input of prepared.inputs) {
      const { emailKey } = input;
      const records = prepared.recordsOf.get(emailKey)!;
      const state = before.get(emailKey) ?? null;
      const isExcluded = mode === 'CREATE_ONLY' ? state !== null : mode === 'UPDATE_ONLY' && state === null;
      if (isExcluded) {
        counts.unchanged += records.length;
        continue;
      }
      const outcome = tryProfile(state, input, change);
      if ('refusal' in outcome) {
        refused.push(
          ...records.map((record): RefusedRecord => ({
            record,
            email: input.email,
            code: 'LIMIT_REACHED',
            message: outcome.refusal,
          })),
        );
        continue;
      }
      countSubscriber(counts, records.length, outcome, mode);
      if (repeated.has(emailKey)) kept.set(emailKey, outcome.state);
    }
    await this.#queue.upsertTrial(this.claimed, kept);
    return refused;
  }

  /** The states of the subscribers of a batch that exist, or that earlier rows would have created. */
  async #statesOf(inputs: readonly ProfileInput[], repeated: RepeatedAddresses): Promise<Map<string, TrialState>> {
    const { organizationId } = this.claimed;
    const keys = inputs.map(({ emailKey }) => emailKey);
    const tried = await this.#queue.listTrial<TrialState>(
      this.claimed,
      keys.filter((key) => repeated.has(key)),
    );
    const open = keys.filter((key) => !tried.has(key));
    const known = await this.#people.listByKeys(organizationId, open);
    if (known.size === 0) return tried;
    const hasTags = new Set(inputs.filter(({ tags }) => tags.length > 0).map(({ emailKey }) => emailKey));
    const tagged = [...known.values()].filter((state) => hasTags.has(state.emailKey)).map(({ id }) => id);
    const tagsOf = new Map<string, string[]>();
    if (tagged.length > 0) {
      for (const { subscriberId, tagName } of await new SubscriberTagRepository(this.sql).listOf(
        organizationId,
        tagged,
      ))
        tagsOf.set(subscriberId, [...(tagsOf.get(subscriberId) ?? []), nameKey(tagName)]);
    }
    const fields = await new FieldRepository(this.sql).list(organizationId);
    const nameKeyOf = new Map(fields.map(({ key, name }) => [key, nameKey(name)]));
    const states = [...known].map(
      ([key, state]) => [key, trialState(state, tagsOf.get(state.id) ?? [], nameKeyOf)] as const,
    );
    return new Map([...tried, ...states]);
  }
}

const trialState = (
  { name, phone, country, ip, status, marks, custom }: KeyedState,
  tags: string[],
  nameKeyOf: ReadonlyMap<string, string>,
): TrialState => ({
  name,
  phone,
  country,
  ip,
  status,
  marks,
  // The values of deleted fields count for the limit until a job has removed them.
  custom: Object.fromEntries(Object.entries(custom).map(([key, value]) => [nameKeyOf.get(key) ?? key, value])),
  tags,
});

const refusedSample = ({ record, email, code, message }: RefusedRecord): ImportCheck['samples'][number] => ({
  line: record.line,
  email,
  code,
  message,
});

/** The first rows with an address of their own: values of others may come from several lines. */
function fittingSamples(prepared: PreparedBatch, count: number): ImportCheck['samples'] {
  return prepared.inputs
    .filter(({ emailKey }) => prepared.recordsOf.get(emailKey)!.length === 1)
    .slice(0, count)
    .map((input) => fittingSample(input, prepared));
}

function fittingSample(input: ProfileInput, { recordsOf }: PreparedBatch): ImportCheck['samples'][number] {
  const { email, emailKey, name, phone, country, ip, fields, tags } = input;
  return {
    line: recordsOf.get(emailKey)![0]!.line,
    email,
    subscriber: {
      ...(name !== undefined && { name }),
      ...(phone !== undefined && { phone }),
      ...(country !== undefined && { country }),
      ...(ip !== undefined && { ipAddress: ip }),
      fields: Object.fromEntries(fields),
      tags: [...tags],
    },
  };
}
