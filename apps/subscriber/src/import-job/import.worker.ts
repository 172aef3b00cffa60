import { randomUUID } from 'node:crypto';
import { IdleBackoff, WakeSignal } from '#concurrency';
import { serviceCaller } from '#bus';
import type { LiveUpdates } from '#bus';
import { importJobRowsMax } from '#contracts';
import { isDeadlock } from '#database';
import { isTransient } from '#events';
import type { HashAddress } from '#link-token';
import type { CallContexts, OrganizationSettingsCache, ServiceDependencies, Worker } from '#service-host';
import { boundsOf, ToolError } from '#tool-call';
import type { BatchPreparation } from './batch-preparation.service.js';
import { FileBatches } from './file-batches.service.js';
import { ImportQueueRepository } from './import-queue.repository.js';
import type { ClaimedImport } from './import-queue.repository.js';
import { ImportRepository } from './import.repository.js';
import { readMapping } from './mapping.js';
import { OrderedSaves } from './ordered-saves.js';
import { ImportRunService, LeaseLost } from './run.service.js';
import { ImportTrialService, TrialRefused } from './trial.service.js';

const idleMs = 1_000;
/** Milliseconds between polls for imports that another process left; calls of this process wake the worker. */
const restMs = 5_000;
/** Starts, half a minute apart, after which an import fails: a deployment may repair a defect before. */
const defectiveTriesMax = 20;
/** Batches after which another organization's import continues: some seconds. */
const batchesPerTurn = 50;
/** Imports at a time: one more than an organization may have. */
const concurrency = 4;
/** Well before the lease of 30 s ends. */
const renewIntervalMs = 10_000;

interface ImportWorkerOptions extends Pick<ServiceDependencies, 'dataSource' | 'log'> {
  contexts: Pick<CallContexts, 'transaction' | 'onCommit'>;
  settings: OrganizationSettingsCache;
  hashAddress: HashAddress;
  preparation: BatchPreparation;
  live: Pick<LiveUpdates, 'publishNumbers'>;
}

/**
 * A batch, its refused rows and the place after it are one transaction, so that a process that takes over repeats
 * nothing. A check starts again, since it changes nothing.
 */
export class ImportWorker implements Worker {
  readonly #owner = randomUUID();
  readonly #imports: ImportRepository;
  readonly #queue: ImportQueueRepository;
  readonly #backoff: IdleBackoff;
  readonly #signal = new WakeSignal();
  #running: Promise<unknown> = Promise.resolve();
  #stopping = false;

  constructor(private readonly options: ImportWorkerOptions) {
    this.#imports = new ImportRepository(options.dataSource.manager);
    this.#queue = new ImportQueueRepository(options.dataSource.manager);
    const limits = { minMs: idleMs, maxMs: restMs };
    this.#backoff = new IdleBackoff(options.contexts, limits, () => this.#signal.notify());
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#signal.notify();
    await this.#running;
    await this.options.preparation.stop();
  }

  /** Works on the next import to its end, or up to a number of batches of a run. @returns whether there was one */
  async workNext(batchesMax = Infinity): Promise<boolean> {
    const claimed = await this.#queue.claim(this.#owner);
    if (claimed) await this.#work(claimed, batchesMax);
    return claimed !== null;
  }

  async #run(): Promise<void> {
    const active = new Set<Promise<void>>();
    while (!this.#stopping) {
      try {
        while (this.#backoff.remainingMs === 0 && active.size < concurrency && !this.#stopping) {
          if ((await this.#backoff.poll(() => this.#startNext(active))) === 0) break;
        }
      } catch (error) {
        this.options.log.warn({ err: error }, 'imports could not be claimed');
      }
      await this.#signal.wait(active.size < concurrency ? this.#backoff.remainingMs : restMs);
    }
    await Promise.all(active);
  }

  /** Starts work on one import beside the others. @returns how many were started */
  async #startNext(active: Set<Promise<void>>): Promise<number> {
    const claimed = await this.#queue.claim(this.#owner);
    if (!claimed) return 0;
    const work: Promise<void> = this.#work(claimed, batchesPerTurn)
      .catch((error: unknown) => {
        this.options.log.warn({ err: error, importId: claimed.id }, 'an import could not be worked on');
      })
      .finally(() => {
        active.delete(work);
        this.#backoff.reset();
        this.#signal.notify();
      });
    active.add(work);
    return 1;
  }

  async #work(claimed: ClaimedImport, batchesMax: number): Promise<void> {
    const renewing = setInterval(() => void this.#renew(claimed), renewIntervalMs);
    try {
      if (claimed.state === 'CHECKING') await this.#check(claimed);
      else await this.#import(claimed, batchesMax);
    } catch (error) {
      // Without effect, unless a batch came before the one that precedes it. Batches that make the same tag or field can
      // wait for each other; the next turn saves them alone.
      if (error instanceof LeaseLost || isDeadlock(error)) return await this.#queue.release(claimed, this.#owner);
      const failure = failureOf(error, claimed);
      if (failure === null && isTransient(error)) await this.#queue.release(claimed, this.#owner);
      if (failure === null) throw error;
      if (claimed.state === 'CHECKING') await this.#queue.updateChecked(claimed, this.#owner, { failure });
      else await this.#queue.updateFinished(claimed, this.#owner, failure);
    } finally {
      clearInterval(renewing);
      this.#publishProgress(claimed);
    }
  }

  #publishProgress({ organizationId: organization, id }: ClaimedImport): void {
    this.options.live.publishNumbers({ name: 'import.progress', id, organization }, async () => {
      const record = await this.#imports.find(organization, id);
      if (!record) return null;
      const { receivedBytes, rows, counts } = record;
      return { receivedBytes, ...(rows !== null && { rows }), ...counts };
    });
  }

  async #renew(claimed: ClaimedImport): Promise<void> {
    await this.#queue.renew(claimed, this.#owner).catch((error: unknown) => {
      this.options.log.warn({ err: error, importId: claimed.id }, 'an import could not be held');
    });
  }

  async #organization(claimed: ClaimedImport) {
    return await this.options.settings.find(serviceCaller(claimed.organizationId, claimed.id));
  }

  async #check(claimed: ClaimedImport): Promise<void> {
    const { timezone } = await this.#organization(claimed);
    const trial = new ImportTrialService(this.options.dataSource.manager, this.options.preparation, claimed, timezone);
    const result = await trial.run(async (done) => {
      if (this.#stopping) return false;
      if (!(await this.#queue.updateTried(claimed, this.#owner, done))) throw new LeaseLost();
      this.#publishProgress(claimed);
      return true;
    });
    if (result === null) return await this.#queue.release(claimed, this.#owner);
    await this.#queue.updateChecked(claimed, this.#owner, result);
  }

  async #import(claimed: ClaimedImport, batchesMax: number): Promise<void> {
    const { timezone, ...organization } = await this.#organization(claimed);
    const { columns } = readMapping(claimed.mapping.columns, claimed.columns);
    const shape = { columns, columnCount: claimed.columns.length, options: claimed.options, zone: timezone };
    const batches = new FileBatches(this.#imports, claimed, claimed.place);
    const bounds = boundsOf(organization);
    const saves = new OrderedSaves((batch, before) => {
      const { prepared, records, from, place } = batch;
      const step = { claimed, owner: this.#owner, prepared, rows: records.length, from, place, before, bounds };
      return this.options.contexts.transaction((context) =>
        new ImportRunService(context, this.options.hashAddress).save({ ...step, now: new Date(Date.now()) }),
      );
    });
    const read = async () => {
      const batch = await batches.next();
      if (!batch) return null;
      const request = { ...shape, records: batch.records };
      return { ...batch, prepared: await this.options.preparation.run(claimed.organizationId, request) };
    };
    let { done, place: from } = claimed;
    let isEnd = false;
    let ahead = read();
    try {
      for (let count = 1; count <= batchesMax && !this.#stopping; count++) {
        const batch = await ahead;
        if (!batch) {
          isEnd = true;
          break;
        }
        // The next batch is prepared while this one is saved; its error is thrown when its turn has come.
        if (count < batchesMax) (ahead = read()).catch(() => undefined);
        done += batch.records.length;
        if (done > importJobRowsMax)
          throw new ToolError('IMPORT_TOO_LARGE', { what: `${importJobRowsMax.toLocaleString('en')} rows` });
        // The first batch makes fields and tags, a quota makes transactions wait for one another, and a failed batch is
        // tried alone.
        const isAlone = from.bytes === 0 || bounds !== undefined || claimed.tries > 1;
        await saves.add({ ...batch, from }, isAlone);
        from = batch.place;
        this.#publishProgress(claimed);
      }
    } finally {
      await Promise.allSettled([ahead]);
      await saves.settle();
    }
    if (isEnd) await this.#queue.updateFinished(claimed, this.#owner, null);
    else await this.#queue.release(claimed, this.#owner);
  }
}

function failureOf(error: unknown, { tries }: ClaimedImport): string | null {
  if (error instanceof ToolError || error instanceof TrialRefused) return error.message;
  if (isTransient(error) || tries < defectiveTriesMax) return null;
  return 'The import stopped because of a defect on our side.';
}
