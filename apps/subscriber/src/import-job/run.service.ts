import type { CallContext } from '#service-host';
import type { Bounds } from '#tool-call';
import type { HashAddress } from '#link-token';
import { SubscriberService } from '../subscriber/subscriber.service.js';
import type { ProfileInput } from '../subscriber/profile.js';
import { ImportQueueRepository } from './import-queue.repository.js';
import type { ClaimedImport } from './import-queue.repository.js';
import type { ImportCounts } from './import.repository.js';
import { errorRecord } from './job-batch.js';
import type { PreparedBatch, RefusedRecord } from './job-batch.js';
import type { FilePlace } from './record-reader.js';

/** Thrown when the import was canceled, or another process has taken it over. */
export class LeaseLost extends Error {}

export interface RunStep {
  claimed: ClaimedImport;
  owner: string;
  prepared: PreparedBatch;
  rows: number;
  from: FilePlace;
  place: FilePlace;
  /** Where the batch before begins, if its transaction may be open; this one then ends after it. */
  before: FilePlace | null;
  bounds: Bounds | undefined;
  now: Date;
}

export class ImportRunService {
  readonly #queue: ImportQueueRepository;

  constructor(
    private readonly context: CallContext,
    private readonly hashAddress: HashAddress,
  ) {
    this.#queue = new ImportQueueRepository(context.manager);
  }

  /**
   * Writes the effect of a batch, its refused rows and the place after it. The batch before may still be written: the
   * end of this one waits for it in the database, which sees a deadlock of both.
   * @throws LeaseLost, and ToolError QUOTA_REACHED; then nothing is written
   */
  async save(step: RunStep): Promise<void> {
    const { claimed, prepared, rows } = step;
    await this.#queue.lockBatch(claimed, step.from);
    const { inputs, excluded } = await this.#byMode(claimed, prepared.inputs);
    const { saved, refused: overLimit } = await new SubscriberService(
      this.context.manager,
      this.context.outbox,
      this.hashAddress,
    ).saveFitting(inputs, {
      organizationId: claimed.organizationId,
      now: step.now,
      bounds: step.bounds,
      source: 'import',
      cause: { kind: 'import', id: claimed.id },
      triggerWorkflows: claimed.options.triggerWorkflows,
      replaceTags: false,
      // New subscribers are not asked to confirm; subscribers that were asked before still have to.
      wish: { via: 'import', resubscribe: claimed.options.resubscribe, skipDoubleOptIn: false, doubleOptIn: false },
    });
    const rowsOf = (key: string) => prepared.recordsOf.get(key)!.length;
    const counts: ImportCounts = { done: rows, imported: 0, updated: 0, unchanged: 0, failed: 0 };
    for (const input of excluded) counts.unchanged += rowsOf(input.emailKey);
    const kept = inputs.filter(({ emailKey }) => !overLimit.has(emailKey));
    for (const [place, { created, changed }] of saved.entries()) {
      countSubscriber(counts, rowsOf(kept[place]!.emailKey), { created, changed }, claimed.options.mode);
    }
    const refused = [
      ...prepared.refused,
      ...[...overLimit].flatMap(([key, { message }]) =>
        prepared.recordsOf
          .get(key)!
          .map((record): RefusedRecord => ({ record, email: null, code: 'LIMIT_REACHED', message })),
      ),
    ].sort((a, b) => a.record.line - b.record.line);
    counts.failed = refused.length;
    if (step.before) await this.#queue.lockBatch(claimed, step.before);
    const { from, place } = step;
    const errors = refused.map(errorRecord).join('');
    if (!(await this.#queue.updateAdvanced(claimed, step.owner, { from, place, counts, errors })))
      throw new LeaseLost();
  }

  async #byMode(
    { organizationId, options: { mode } }: ClaimedImport,
    inputs: readonly ProfileInput[],
  ): Promise<{ inputs: readonly ProfileInput[]; excluded: readonly ProfileInput[] }> {
    if (mode === 'CREATE_AND_UPDATE' || inputs.length === 0) return { inputs, excluded: [] };
    const known = await this.#queue.listKnownKeys(
      organizationId,
      inputs.map(({ emailKey }) => emailKey),
    );
    const isIncluded = ({ emailKey }: ProfileInput) => known.has(emailKey) === (mode === 'UPDATE_ONLY');
    return { inputs: inputs.filter(isIncluded), excluded: inputs.filter((input) => !isIncluded(input)) };
  }
}

/** Counts the rows of one subscriber of a batch; a further row of a new one counts as an update. */
export function countSubscriber(
  counts: Pick<ImportCounts, 'imported' | 'updated' | 'unchanged'>,
  rows: number,
  { created, changed }: { created: boolean; changed: boolean },
  mode: ClaimedImport['options']['mode'],
): void {
  if (created) {
    counts.imported += 1;
    counts[mode === 'CREATE_ONLY' ? 'unchanged' : 'updated'] += rows - 1;
  } else counts[changed ? 'updated' : 'unchanged'] += rows;
}
