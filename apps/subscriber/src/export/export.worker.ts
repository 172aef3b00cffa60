import { PollingWorker } from '#concurrency';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { isTransient } from '#events';
import type { CallContexts, ServiceDependencies, Worker } from '#service-host';
import { ToolError } from '#tool-call';
import { FieldRepository } from '../field/field.repository.js';
import type { FilterEngine } from '../filter/filter-engine.service.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import type { Selection } from '../subscriber/subscriber-view.repository.js';
import { TagRepository } from '../tag/tag.repository.js';
import { columnsNow, columnsOf, headerOf, recordsOf } from './export.js';
import type { Column, ExportRequest } from './export.js';
import { ExportRepository } from './export.repository.js';
import type { ClaimedExport } from './export.repository.js';
import { SubscriberDataService } from './subscriber-data.service.js';

/** Subscribers per page: about a megabyte in memory. */
const pageSize = 1_000;
/** Bytes of text per piece: any text of this size fits a message of the bus in base64. */
const pieceBytes = 512 * 1024;
const idleMs = 1_000;
/** Milliseconds between polls for exports that another process left; calls of this process wake the worker. */
const restMs = 5_000;
/** Starts, half a minute apart, after which an export fails: a deployment may repair a defect before. */
const defectiveTriesMax = 20;
/** Pages after which another organization's export continues: some seconds. */
const pagesPerTurn = 20;
/** Well before the lease of 30 s ends. */
const renewEveryMs = 10_000;

const compress = promisify(gzip);

type ClaimedList = ClaimedExport & { request: ExportRequest };

interface ExportDependencies extends Pick<ServiceDependencies, 'dataSource' | 'log'> {
  bus: ServiceBus;
  contexts: Pick<CallContexts, 'transaction' | 'onCommit'>;
  engine: FilterEngine;
}

class LeaseLost extends Error {}

/**
 * Each page and the position after it are one transaction, so that a process that takes over writes every subscriber
 * once. Subscribers added while it runs are not in it.
 */
export class ExportWorker implements Worker {
  readonly #owner = randomUUID();
  readonly #exports: ExportRepository;
  readonly #polling: PollingWorker;

  constructor(
    private readonly parts: ExportDependencies,
    private readonly rowsPerPage = pageSize,
  ) {
    this.#exports = new ExportRepository(parts.dataSource.manager);
    this.#polling = new PollingWorker({
      poll: async () => Number(await this.writeNext(pagesPerTurn)),
      contexts: parts.contexts,
      minMs: idleMs,
      maxMs: restMs,
      onError: (error) => parts.log.warn({ err: error }, 'exports could not be worked on'),
    });
  }

  start(): void {
    this.#polling.start();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
  }

  /** Writes the next export to its end, or up to a number of pages. @returns whether there was one */
  async writeNext(pagesMax = Infinity): Promise<boolean> {
    const claimed = await this.#exports.claim(this.#owner);
    if (!claimed) return false;
    const renewing = setInterval(() => void this.#renew(claimed), renewEveryMs);
    try {
      const { request } = claimed;
      if ('subscriberId' in request) await this.#writeData(claimed, request.subscriberId);
      else await this.#write({ ...claimed, request }, pagesMax);
    } catch (error) {
      if (error instanceof LeaseLost) return true;
      const failure = failureOf(error, claimed);
      if (failure === null) throw error;
      await this.#exports.updateFinished(claimed, this.#owner, failure);
    } finally {
      clearInterval(renewing);
      this.#publishProgress(claimed);
    }
    return true;
  }

  #publishProgress({ organizationId: organization, id }: ClaimedExport): void {
    this.parts.bus.live.publishNumbers({ name: 'export.progress', id, organization }, async () => {
      const state = await this.#exports.find(organization, id);
      return state && { rowsDone: state.rowsDone, ...(state.rowsTotal !== null && { rowsTotal: state.rowsTotal }) };
    });
  }

  async #renew(claimed: ClaimedExport): Promise<void> {
    await this.#exports.renew(claimed, this.#owner).catch((error: unknown) => {
      this.parts.log.warn({ err: error, exportId: claimed.id }, 'an export could not be held');
    });
  }

  /** Writes the file of one subscriber's data at once: an interrupted one starts again. */
  async #writeData(claimed: ClaimedExport, subscriberId: string): Promise<void> {
    const data = new SubscriberDataService(this.parts.dataSource.manager, this.parts.bus);
    const pieces: Buffer[] = [];
    let text = '';
    for await (const part of data.text(claimed.organizationId, subscriberId)) {
      text += part;
      if (text.length < pieceBytes) continue;
      pieces.push(...(await piecesOf(text)));
      text = '';
    }
    pieces.push(...(await piecesOf(text)));
    const added = await this.parts.contexts.transaction(({ manager }) =>
      new ExportRepository(manager).addWhole(claimed, this.#owner, pieces),
    );
    if (!added) throw new LeaseLost();
  }

  async #write(claimed: ClaimedList, pagesMax: number): Promise<void> {
    const selection = await this.#selectionOf(claimed);
    const columns = claimed.columns ?? (await this.#begin(claimed, selection));
    let { lastSubscriberId: after, chunks } = claimed;
    for (let pages = 0; ; pages++) {
      if (this.#polling.isStopping || pages === pagesMax) return await this.#exports.release(claimed, this.#owner);
      const { records, more, fields } = await this.#read(claimed.organizationId, selection, after);
      const text = (chunks === 0 ? headerOf(columns) : '') + recordsOf(records, columnsNow(columns, fields));
      const pieces = await piecesOf(text);
      after = records.at(-1)?.id ?? after;
      chunks += pieces.length;
      await this.#add(claimed, { pieces, rows: records.length, lastSubscriberId: after });
      this.#publishProgress(claimed);
      if (!more) return await this.#exports.updateFinished(claimed, this.#owner, null);
    }
  }

  async #selectionOf({ organizationId, request, id }: ClaimedList): Promise<Selection> {
    const { filters, tagId, status, query } = request;
    const { manager } = this.parts.dataSource;
    if (tagId !== null && !(await new TagRepository(manager).findById(organizationId, tagId))) {
      throw new ToolError('TAG_NOT_FOUND', { id: tagId });
    }
    const caller = serviceCaller(organizationId, id);
    const where = filters.length > 0 ? await this.parts.engine.condition(caller, filters, { from: 'store' }) : null;
    return { status, tagId, query, where };
  }

  async #begin(claimed: ClaimedList, selection: Selection): Promise<Column[]> {
    const { organizationId, request } = claimed;
    const { manager } = this.parts.dataSource;
    const columns = columnsOf(request.fields, await new FieldRepository(manager).list(organizationId));
    const rowsTotal = await this.#patiently((views) => views.count(organizationId, selection));
    if (!(await this.#exports.updateStarted(claimed, this.#owner, { columns, rowsTotal }))) throw new LeaseLost();
    return columns;
  }

  async #read(organizationId: string, selection: Selection, after: string | null) {
    const page = { after, limit: this.rowsPerPage };
    const read = await this.#patiently((views) => views.listRecords(organizationId, selection, page));
    return { ...read, fields: await new FieldRepository(this.parts.dataSource.manager).list(organizationId) };
  }

  /** A filter with few matches scans long for a page: longer than the statement timeout of a tool. */
  #patiently<T>(work: (views: SubscriberViewRepository) => Promise<T>): Promise<T> {
    return this.parts.contexts.transaction(async ({ manager }) => {
      await manager.query(`set local statement_timeout = '10min'`);
      return await work(new SubscriberViewRepository(manager));
    });
  }

  async #add(claimed: ClaimedExport, page: Parameters<ExportRepository['addPage']>[2]): Promise<void> {
    const added = await this.parts.contexts.transaction(({ manager }) =>
      new ExportRepository(manager).addPage(claimed, this.#owner, page),
    );
    if (!added) throw new LeaseLost();
  }
}

/** Why an export can never be written; null when a retry may help. */
function failureOf(error: unknown, { fence }: ClaimedExport): string | null {
  if (error instanceof ToolError) return error.message;
  if (isTransient(error) || Number(fence) < defectiveTriesMax) return null;
  return 'The file could not be written because of a defect on our side.';
}

/** A text in gzip members of its parts; their sequence is a gzip file (RFC 1952 section 2.2). */
async function piecesOf(text: string): Promise<Buffer[]> {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    pieces.push(await compress(bytes.subarray(at, at + pieceBytes)));
  return pieces;
}
