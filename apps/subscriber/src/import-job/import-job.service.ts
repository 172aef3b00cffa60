import { isDeepStrictEqual } from 'node:util';
import { importBytesMax, importColumnsMax, importJobRowsMax, importOptions, openImportsMax } from '#contracts';
import type { Args, ImportHead, subscriberImportTools } from '#contracts';
import { newId } from '#database';
import type { Sql } from '#database';
import { pluralize, requestHash, summarise, ToolError } from '#tool-call';
import type { Caller, Description } from '#tool-call';
import { ImportRepository } from './import.repository.js';
import type { ImportRecord, ImportStatus } from './import.repository.js';
import { assertFormats, ImportPlanService } from './job-plan.service.js';
import type { ImportPlan } from './job-plan.service.js';
import { columnsOfRows, headerOfRows, textOfRows } from './rows-text.js';

type ToolArgs<K extends keyof (typeof subscriberImportTools)['calls']> = Args<
  (typeof subscriberImportTools)['calls'][K]
>;
type StartArgs = ToolArgs<'start_subscriber_import'>;

const uploadable: readonly ImportStatus[] = ['NEW', 'UPLOADING', 'UPLOADED'];
const complete: readonly ImportStatus[] = ['UPLOADED', 'CHECKED'];
const open: readonly ImportStatus[] = [...uploadable, 'CHECKING', 'CHECKED', 'RUNNING'];

/** Changes imports for callers, in the caller's transaction; the worker carries out their checks and runs. */
export class ImportJobService {
  readonly #imports: ImportRepository;
  readonly #plans: ImportPlanService;

  constructor(sql: Sql) {
    this.#imports = new ImportRepository(sql);
    this.#plans = new ImportPlanService(sql);
  }

  async create(args: ToolArgs<'create_subscriber_import'>, { organizationId, now }: Caller): Promise<ImportRecord> {
    if ((await this.#imports.countOpenLocked(organizationId)) >= openImportsMax)
      throw new ToolError('IMPORTS_TOO_MANY', { limit: openImportsMax });
    const { name = null, delimiter = null, encoding = null } = args;
    return await this.#imports.insert(organizationId, { id: newId('imp'), name, delimiter, encoding, now });
  }

  async addRows(args: ToolArgs<'add_rows_to_subscriber_import'>, { organizationId }: Caller): Promise<ImportRecord> {
    const { importId, rows } = args;
    const record = await this.#lock(organizationId, importId, uploadable);
    assertSource(record, 'ROWS');
    const columns = record.columns ?? columnsOfRows(rows);
    assertColumns(columns, rows);
    if (record.rowsAdded + rows.length > importJobRowsMax)
      throw new ToolError('IMPORT_TOO_LARGE', { what: `${importJobRowsMax.toLocaleString('en')} rows` });
    const text = (record.columns ? '' : headerOfRows(columns)) + textOfRows(columns, rows);
    await this.#imports.updateRows(organizationId, importId, columns, rows.length);
    return await this.#append(organizationId, record, { bytes: Buffer.from(text), isLast: true, source: 'ROWS' });
  }

  async addBytes(
    organizationId: string,
    { importId, offset, bytes, isLast }: { importId: string; offset: number; bytes: Buffer; isLast: boolean },
  ): Promise<ImportRecord> {
    const record = await this.#lock(organizationId, importId, uploadable);
    assertSource(record, 'FILE');
    const { receivedBytes } = record;
    if (offset !== receivedBytes) throw new ToolError('OFFSET_WRONG', { offset, receivedBytes });
    return await this.#append(organizationId, record, { bytes, isLast, source: 'FILE' });
  }

  async #append(
    organizationId: string,
    record: ImportRecord,
    { bytes, isLast, source }: { bytes: Buffer; isLast: boolean; source: 'FILE' | 'ROWS' },
  ): Promise<ImportRecord> {
    if (record.receivedBytes + bytes.length > importBytesMax)
      throw new ToolError('IMPORT_TOO_LARGE', { what: `${importBytesMax / 1024 ** 3} GiB` });
    const added = { bytes, state: isLast ? ('UPLOADED' as const) : ('UPLOADING' as const), source };
    return await this.#imports.appendBytes(organizationId, record, added);
  }

  async check(args: ToolArgs<'check_subscriber_import'>, { organizationId, now }: Caller): Promise<ImportRecord> {
    const { importId, mapping, options } = args;
    const record = await this.#lock(organizationId, importId, complete);
    const plan = await this.#plans.plan(organizationId, record, { mapping, options });
    const job = { ...plan, state: 'CHECKING' as const, startedBy: null, now };
    return await this.#imports.updateQueued(organizationId, importId, job);
  }

  async start(args: StartArgs, caller: Caller): Promise<ImportRecord> {
    const { organizationId, now } = caller;
    const record = await this.#lock(organizationId, args.importId, complete);
    const { plan } = await this.#planRun(record, args, caller);
    const job = { ...plan, state: 'RUNNING' as const, startedBy: actorOf(caller), now };
    return await this.#imports.updateQueued(organizationId, args.importId, job);
  }

  async describeStart(args: StartArgs, caller: Caller): Promise<Description> {
    const record = await this.get(caller.organizationId, args.importId);
    assertState(record, complete);
    const { plan, checked } = await this.#planRun(record, args, caller);
    const { id, name, receivedBytes } = record;
    return {
      action: 'Start the import',
      message: sentence(record, plan, checked),
      subject: { noun: 'import', id, name: name ?? id, updatedAt: null },
      facts: [
        { label: 'Bytes', value: String(receivedBytes) },
        ...Object.entries(checked ? { New: checked.new, Updated: checked.updated } : {}).map(([label, value]) => ({
          label,
          value: String(value),
        })),
      ],
      content: requestHash(plan.mapping.columns, plan.options, receivedBytes),
    };
  }

  async #planRun(record: ImportRecord, { mapping, options }: StartArgs, caller: Caller) {
    const plan = await this.#plans.plan(caller.organizationId, record, {
      mapping: mapping ?? (record.checked ? record.mapping?.columns : undefined),
      options: options ?? { ...(record.options ?? importOptions.parse({})), triggerWorkflows: false },
    });
    assertFormats(plan.mapping);
    const { checked: last } = record;
    const { triggerWorkflows } = plan.options;
    const isSame =
      last &&
      isDeepStrictEqual([last.mapping, { ...last.options, triggerWorkflows }], [plan.mapping.columns, plan.options]);
    const checked = isSame ? last : null;
    await this.#plans.assertQuota(caller, plan, checked);
    return { plan, checked };
  }

  async cancel(importId: string, { organizationId }: Caller): Promise<ImportRecord> {
    await this.#lock(organizationId, importId, open);
    return await this.#imports.updateCanceled(organizationId, importId);
  }

  async get(organizationId: string, importId: string): Promise<ImportRecord> {
    const record = await this.#imports.find(organizationId, importId);
    if (!record) throw new ToolError('IMPORT_NOT_FOUND', { id: importId });
    return record;
  }

  /** @returns the columns and first rows of a complete file that waits for its check or its start */
  async head(organizationId: string, record: ImportRecord): Promise<ImportHead | undefined> {
    return complete.includes(record.state) ? await this.#plans.head(organizationId, record) : undefined;
  }

  async #lock(organizationId: string, importId: string, states: readonly ImportStatus[]): Promise<ImportRecord> {
    const record = await this.#imports.lock(organizationId, importId);
    if (!record) throw new ToolError('IMPORT_NOT_FOUND', { id: importId });
    assertState(record, states);
    return record;
  }
}

function assertState({ state }: ImportRecord, allowed: readonly ImportStatus[]): void {
  if (!allowed.includes(state)) throw new ToolError('IMPORT_STATE', { state, allowed });
}

function assertSource({ source }: ImportRecord, wanted: 'FILE' | 'ROWS'): void {
  if (source === null || source === wanted) return;
  const nouns = { FILE: 'one with a file', ROWS: 'one of rows' };
  throw new ToolError('IMPORT_STATE', { state: nouns[source], allowed: [nouns[wanted]] });
}

/** @throws ToolError PARAMETERS_INVALID naming the columns that the first call did not have */
function assertColumns(columns: readonly string[], rows: readonly object[]): void {
  const known = new Set(columns);
  const issues: { path: (string | number)[]; message: string }[] = rows.flatMap((row, place) =>
    Object.keys(row)
      .filter((name) => !known.has(name))
      .map((name) => ({ path: ['rows', place, name], message: 'is no column of the first call' })),
  );
  if (columns.length > importColumnsMax)
    issues.push({ path: ['rows'], message: `has ${columns.length} columns; at most ${importColumnsMax} are allowed` });
  if (issues.length > 0) throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}

/** Who starts an import; callers of an older version name the token alone. */
const actorOf = ({ actor, tokenId, source }: Caller) =>
  actor ?? (tokenId === null ? { kind: source.toUpperCase(), id: null } : { kind: 'TOKEN', id: tokenId });

function sentence(record: ImportRecord, { options }: ImportPlan, checked: ImportRecord['checked']): string {
  const name = record.name === null ? 'the file' : `"${record.name}"`;
  const size = `${(record.receivedBytes / 1024 ** 2).toLocaleString('en', { maximumFractionDigits: 1 })} MiB`;
  const effect = checked
    ? `creates ${pluralize(checked.new, 'subscriber')} and updates ${checked.updated.toLocaleString('en')}`
    : 'creates and updates subscribers; no check has counted them';
  const workflows = options.triggerWorkflows ? ' Workflows may start by the new tags and fields.' : '';
  const again = options.resubscribe ? ' UNSUBSCRIBED subscribers become SUBSCRIBED.' : '';
  return `Imports ${name} (${size}): ${effect}.${workflows}${again}`;
}
