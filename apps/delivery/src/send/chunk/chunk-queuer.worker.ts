import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid, uuidOf } from '#database';
import type { SendMetrics } from '../../metrics/send-metrics.service.js';
import { admitRecipients } from './admit-recipients.js';
import type { LeasedChunk } from './chunk.js';
import { AudienceGone, blockedBy } from './chunk-run.service.js';
import type { ChunkEnd, ChunkRunDependencies } from './chunk-run.service.js';
import { listRecipients } from './chunk-recipients.client.js';

/** As the subscriber service cuts audiences. */
const chunkSize = 500;
/** Queued messages of a send that are due, from which on it gets no more: a pause or a stop finds few of them. */
const queuedMax = 2_000;
const lookEveryMs = 1_000;
/** After them other chunks have their turn, since the send may be paused. */
const looksMax = 5;

export interface ChunkQueuerDependencies extends Pick<ChunkRunDependencies, 'pages' | 'subscribers'> {
  meter: SendMetrics;
}

/**
 * Queues the messages of a chunk of layout 0, for the queue of due messages to send. Such sends began under a version
 * before the ledger, or begin while a process of one still runs.
 */
export class ChunkQueuer {
  #isHalted = false;
  #isOver = false;

  constructor(
    private readonly parts: ChunkQueuerDependencies,
    readonly page: LeasedChunk,
  ) {}

  get remaining(): number {
    return this.#isHalted || this.#isOver ? 0 : chunkSize;
  }

  /** The chunk is released unchanged, unless its messages are being queued already. */
  halt(): void {
    this.#isHalted = true;
  }

  /** Works until the chunk is done, released or lost; rejects for defects only. */
  async run(): Promise<ChunkEnd> {
    const { pages } = this.parts;
    try {
      const isDone = (await this.#hasRoom()) && (await this.#queue());
      if (!isDone) await pages.release(this.page);
      return { kind: isDone ? 'done' : 'left' };
    } catch (error) {
      await pages.release(this.page).catch(() => undefined);
      const blocked = blockedBy(error);
      if (!blocked) throw error;
      return { kind: 'blocked', ...blocked };
    } finally {
      this.#isOver = true;
    }
  }

  /** Waits a little for the messages queued so far. */
  async #hasRoom(): Promise<boolean> {
    if (this.page.sendState === 'STOPPED') return true;
    for (let look = 0; look < looksMax && !this.#isHalted; look++) {
      if (!(await this.parts.pages.hasQueued(this.page, queuedMax))) return true;
      await sleep(lookEveryMs);
    }
    return false;
  }

  /** @returns whether all messages of the chunk have a row now */
  async #queue(): Promise<boolean> {
    const { pages, subscribers, meter } = this.parts;
    const recipients = await listRecipients(subscribers, this.page, null);
    if (recipients.length === 0) throw new AudienceGone();
    const stored = (id: string) => uuidOf('sub', id)!;
    const ids = recipients.map(({ subscriberId }) => stored(subscriberId));
    const { known, doubted } = await pages.takeOver(this.page, ids);
    meter.doubted(doubted);
    const isStopped = this.page.sendState === 'STOPPED';
    return await pages.insertQueued(
      this.page,
      admitRecipients(recipients, { newUuid, uuidOf: stored, known, isStopped }),
    );
  }
}
