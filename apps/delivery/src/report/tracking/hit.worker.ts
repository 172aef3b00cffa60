import { setTimeout as sleep } from 'node:timers/promises';
import { PollingWorker } from '#concurrency';
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
export const hitDurable = 'delivery';
const retryMs = 250;
const reopenMs = 1_000;
/**
 * A hit that came before the outcome of its message's attempt is delivered again after a second, ten times, and then
 * every 15 s for an hour: after a crash the outcome is there once another process has taken over the chunk.
 */
const earlyDeliveries = { soon: 10, most: 250 };
const earlyRetryMs = { soon: 1_000, late: 15_000 };

/** @returns milliseconds until such a hit is delivered again after `deliveries`; null if it is dropped */
export function earlyRetryAfter(deliveries: number): number | null {
  if (deliveries >= earlyDeliveries.most) return null;
  return deliveries <= earlyDeliveries.soon ? earlyRetryMs.soon : earlyRetryMs.late;
}
/** Each hit ends the wait for hits. */
const idleMs = 60_000;

interface BufferedHit {
  hit: KeyedHit;
  message: StreamMessage<unknown>;
}

export interface HitWorkerDependencies {
  stream: DurableStream;
  contexts: CallContexts;
  log: Logger;
}

/** Reads opens and clicks from their stream, up to 500 at a time; each is acknowledged once its effect is committed. */
export class HitWorker implements Worker {
  #buffer: BufferedHit[] = [];
  #reading: Reading | null = null;
  readonly #reader: PollingWorker;
  readonly #recorder: PollingWorker;

  constructor(private readonly parts: HitWorkerDependencies) {
    const onError = (error: unknown) => parts.log.warn({ err: error }, 'hits cannot be read');
    this.#reader = new PollingWorker({
      poll: () => this.#read().then(() => 0),
      minMs: reopenMs,
      maxMs: reopenMs,
      onError,
    });
    this.#recorder = new PollingWorker({ poll: () => this.#record(), minMs: retryMs, maxMs: idleMs, onError });
  }

  start(): void {
    this.#reader.start();
    this.#recorder.start();
  }

  async stop(): Promise<void> {
    const stopped = Promise.all([this.#reader.stop(), this.#recorder.stop()]);
    await this.#reading?.stop().catch(() => undefined);
    await stopped;
  }

  async #read(): Promise<void> {
    const { stream } = this.parts;
    await stream.ensure();
    await stream.ensureConsumer(hitDurable, 'hits', ackWaitMs, hitsAhead);
    this.#reading = await stream.consume<unknown>(hitDurable, hitsAhead, (message) => this.#take(message));
    await this.#reading.closed;
  }

  #take(message: StreamMessage<unknown>): void {
    const parsed = hit.safeParse(message.body);
    const key = parsed.success ? hitKey(parsed.data, new Date(Date.now())) : null;
    if (!parsed.success || key === null) return message.term('not a hit');
    this.#buffer.push({ hit: { ...parsed.data, key }, message });
    this.#recorder.wake();
  }

  async #record(): Promise<number> {
    const some = this.#buffer.slice(0, hitsPerTransaction);
    if (some.length === 0) return 0;
    try {
      const early = await recordHits(
        this.parts.contexts,
        some.map((one) => one.hit),
      );
      for (const one of some) this.#settle(one, early);
    } catch (error) {
      this.parts.log.warn({ err: error, hits: some.length }, 'hits could not be recorded');
      if (isTransient(error)) {
        some.forEach(({ message }) => message.working());
        await sleep(retryMs);
        return some.length;
      }
      await this.#recordAlone(some);
    }
    this.#buffer.splice(0, some.length);
    return some.length;
  }

  #settle({ hit: { key, hitId }, message }: BufferedHit, early: ReadonlySet<string>): void {
    if (!early.has(key)) return message.ack();
    const retryAfterMs = earlyRetryAfter(message.deliveries);
    if (retryAfterMs !== null) return message.nak(retryAfterMs);
    this.parts.log.warn({ hit: hitId }, 'tracking hit of a message without an outcome was dropped');
    message.ack();
  }

  /** Records hits one by one: one that cannot be recorded must not delay the others. */
  async #recordAlone(some: readonly BufferedHit[]): Promise<void> {
    for (const { hit: one, message } of some) {
      try {
        this.#settle({ hit: one, message }, await recordHits(this.parts.contexts, [one]));
      } catch (error) {
        if (isTransient(error)) message.nak(retryMs);
        else {
          this.parts.log.error({ err: error, hit: one.hitId }, 'tracking hit moved to dead letters');
          message.term(String(error));
        }
      }
    }
  }
}
