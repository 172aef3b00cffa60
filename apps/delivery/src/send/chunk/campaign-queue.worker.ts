import { IdleBackoff, WakeSignal } from '#concurrency';
import { traced } from '#observability';
import type { SendRepository } from '../send.repository.js';
import { finishSend } from '../finish-send.job.js';
import type { FinishDependencies } from '../finish-send.job.js';
import type { LeasedChunk } from './chunk.js';
import { prefetchBelow } from './reserve-connections.service.js';
import type { ChunkEnd } from './chunk-run.service.js';
import { ChunkQueuer } from './chunk-queuer.worker.js';
import { LedgerChunkSender } from '../ledger/ledger-chunk-sender.worker.js';
import type { LedgerSenderDependencies } from '../ledger/ledger-chunk-sender.worker.js';

/** Sends worked on at one time, a chunk each: up to four tenants move together on one process. */
const sendsMax = 4;
const idleMs = 500;
/**
 * Longest wait without a wake signal; a start of a send and other processes that send give signals, and this poll finds
 * missed ones.
 */
const restMs = 5_000;
const rescanMs = 250;
/** Seconds for which a blocked send is passed over. */
const blockedSeconds = 5;

export interface CampaignQueueDependencies extends LedgerSenderDependencies, FinishDependencies {
  sends: SendRepository;
}

/**
 * CampaignQueue sends chunks of campaigns, the least recently served send first, with a few chunks in memory at one
 * time.
 */
export class CampaignQueue {
  readonly #signal = new WakeSignal();
  readonly #backoff: IdleBackoff;
  readonly #runs = new Map<ChunkQueuer | LedgerChunkSender, Promise<void>>();
  #stopping = false;
  #lookedAt = 0;
  #looping: Promise<void> = Promise.resolve();

  constructor(private readonly parts: CampaignQueueDependencies) {
    this.#backoff = new IdleBackoff(parts.contexts, { minMs: idleMs, maxMs: restMs }, () => this.wake());
  }

  start(): void {
    this.#looping = this.#loop();
  }

  wake(): void {
    this.#signal.notify();
  }

  /** Signals that another process sends and may need help. */
  help(): void {
    this.#backoff.reset();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#looping;
    for (const run of this.#runs.keys()) run.halt();
    await Promise.all(this.#runs.values());
  }

  async #loop(): Promise<void> {
    // After one chunk there may be more: a chunk that could not be sent must not delay the others.
    for (let page: LeasedChunk | null = null, mayBeMore = false; !this.#stopping; page = null) {
      try {
        const except = this.#runs.size > 0 || mayBeMore || this.#backoff.remainingMs === 0 ? this.#passedOver() : null;
        if (except !== null) {
          await this.#backoff.poll(async () => Number((page = await this.parts.pages.claim(except)) !== null));
          mayBeMore = page !== null;
        }
      } catch (error) {
        this.parts.log.warn({ err: error }, 'cannot claim a chunk');
      }
      if (page) this.#work(page);
      else await this.#signal.wait(this.#runs.size > 0 ? idleMs : this.#backoff.remainingMs);
    }
  }

  #passedOver(): string[] | null {
    const working = [...this.#runs.keys()].filter(({ remaining }) => remaining > 0);
    const left = working.reduce((sum, { remaining }) => sum + remaining, 0);
    if (left < prefetchBelow(this.parts.relay)) return [];
    const sends = [...new Set(working.map(({ page }) => page.sendId))];
    if (sends.length >= sendsMax || performance.now() - this.#lookedAt < rescanMs) return null;
    this.#lookedAt = performance.now();
    return sends;
  }

  #work(page: LeasedChunk): void {
    const run =
      page.layout === 1
        ? new LedgerChunkSender(this.parts, page, () => this.wake())
        : new ChunkQueuer(this.parts, page);
    const attributes = { 'tidings.send': page.sendId, 'tidings.page': page.pageNo };
    const ended = traced('page of a campaign', { kind: 'internal', parent: 'root', attributes }, () => run.run())
      .then((end) => this.#left(page, end))
      .catch((error: unknown) => this.parts.log.error({ err: error, send: page.sendId }, 'send chunk failed'))
      .finally(() => {
        this.#runs.delete(run);
        this.wake();
      });
    this.#runs.set(run, ended);
  }

  async #left(page: LeasedChunk, end: ChunkEnd): Promise<void> {
    const { organizationId, sendId } = page;
    const { sends } = this.parts;
    if (end.kind === 'blocked') {
      this.parts.log.warn({ send: sendId, reason: end.reason }, 'a send waits');
      // One that is stopped cannot be paused, and would come again at once.
      if (end.final && page.sendState === 'RUNNING')
        await sends.updateState(organizationId, sendId, { state: 'PAUSED', reason: end.reason });
      else await sends.updateWaiting(organizationId, sendId, { reason: end.reason, seconds: blockedSeconds });
      return;
    }
    if (page.waited) await sends.updateWaiting(organizationId, sendId, null);
    if (end.kind === 'done') await finishSend(this.parts, page);
  }
}
