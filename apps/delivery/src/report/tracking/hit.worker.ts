import { WakeSignal } from '#concurrency';
import type { DurableStream, Reading, StreamMessage } from '#bus';
import { hit } from '#contracts';
import { isTransient } from '#events';
import type { Logger } from '#observability';
import type { CallContexts, Worker } from '#service-host';
import { hitKey } from './hit-key.js';
import { recordHits } from './record-hits.service.js';
import type { KeyedHit } from './record-hits.service.js';

const hitsPerTransaction = 500;
const hitsAhead = 2_000;
const ackWaitMs = 30_000;
/** The name of the stream's one consumer. */
export const hitDurable = 'delivery';
const retryMs = 250;
const reopenMs = 1_000;

export interface HitWorkerParts {
  stream: DurableStream;
  contexts: CallContexts;
  log: Logger;
}

/**
 * HitWorker reads opens and clicks from their stream, up to 500 at a time; each is acknowledged once its effect is
 * committed.
 */
export class HitWorker implements Worker {
  readonly #signal = new WakeSignal();
  #buffer: { hit: KeyedHit; message: StreamMessage<unknown> }[] = [];
  #reading: Reading | null = null;
  #stopping = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: HitWorkerParts) {}

  start(): void {
    this.#running = Promise.all([this.#read(), this.#work()]);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#reading?.stop().catch(() => undefined);
    this.#signal.notify();
    await this.#running;
  }

  async #read(): Promise<void> {
    const { stream, log } = this.parts;
    while (!this.#stopping) {
      try {
        await stream.ensure();
        await stream.ensureConsumer(hitDurable, 'hits', ackWaitMs, hitsAhead);
        this.#reading = await stream.consume<unknown>(hitDurable, hitsAhead, (message) => this.#take(message));
        await this.#reading.closed;
      } catch (error) {
        log.warn({ err: error }, 'hits cannot be read');
      }
      if (!this.#stopping) await new Promise((resolve) => setTimeout(resolve, reopenMs).unref());
    }
  }

  #take(message: StreamMessage<unknown>): void {
    const parsed = hit.safeParse(message.body);
    const key = parsed.success ? hitKey(parsed.data, new Date(Date.now())) : null;
    if (!parsed.success || key === null) return message.term('not a hit');
    this.#buffer.push({ hit: { ...parsed.data, key }, message });
    this.#signal.notify();
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      if (this.#buffer.length === 0) await this.#signal.wait();
      const some = this.#buffer.slice(0, hitsPerTransaction);
      if (some.length === 0) continue;
      try {
        await recordHits(
          this.parts.contexts,
          some.map((one) => one.hit),
        );
        some.forEach(({ message }) => message.ack());
      } catch (error) {
        this.parts.log.warn({ err: error, hits: some.length }, 'hits could not be recorded');
        if (isTransient(error)) {
          some.forEach(({ message }) => message.working());
          await new Promise((resolve) => setTimeout(resolve, retryMs));
          continue;
        }
        await this.#recordAlone(some);
      }
      this.#buffer.splice(0, some.length);
    }
  }

  /** Records hits one by one: one that cannot be recorded must not delay the others. */
  async #recordAlone(some: readonly { hit: KeyedHit; message: StreamMessage<unknown> }[]): Promise<void> {
    for (const { hit: one, message } of some) {
      try {
        await recordHits(this.parts.contexts, [one]);
        message.ack();
      } catch (error) {
        if (isTransient(error)) message.nak(retryMs);
        else {
          this.parts.log.error({ err: error, hit: one.hitId }, 'a hit was put aside');
          message.term(String(error));
        }
      }
    }
  }
}
