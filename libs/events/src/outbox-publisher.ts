import { PollingWorker } from '#concurrency';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFull } from '#bus';
import type { Bus, DurableStream } from '#bus';
import type { Logger } from '#observability';
import type { Sql } from '#database';
import { LaneLeaseRepository, releasedBroadcast } from './lane-lease.repository.js';
import { haveAllLanes, numberHeader } from './lane.js';
import { OutboxRepository } from './outbox.repository.js';
import type { PendingBatch } from './outbox.repository.js';

const role = 'relay';
const leaseSeconds = 15;
const renewEveryMs = 5_000;
/** A safety net, together with the leases: wake-ups travel by broadcast, which may be lost. */
const pollEveryMs = renewEveryMs;
const retryMs = 2_000;
const lookEveryMs = 60_000;
const envelopesPerMessage = 100;
/**
 * The first event goes out at once; those that come so soon after travel together, which costs all sides far less. A
 * campaign's results gather longer, but what fills a message does not wait.
 */
const spacingMs = (envelopes: number): number => {
  if (envelopes >= envelopesPerMessage) return 0;
  return envelopes < 3 ? 100 : 250;
};
/** An envelope alone is about 256 KB at most; consumers hold some messages of each lane in memory. */
const messageBytesMax = 1_000_000;

export interface OutboxPublisherOptions {
  service: string;
  sql: Sql;
  bus: Bus;
  stream: DurableStream;
  /** The services that apply events: what they have applied may be deleted when the stream is full. */
  consumers?: readonly string[];
  log: Logger;
}

/**
 * Publishes the outbox of one schema, lane by lane in commit order with one publish in flight a lane. Several processes
 * may run it: each lane belongs to one of them by lease.
 */
export class OutboxPublisher {
  readonly #owner = randomUUID();
  readonly #outbox: OutboxRepository;
  readonly #leases: LaneLeaseRepository;
  /** The lanes it holds, with the number of the last message of each. */
  #lanes = new Map<number, number>();
  #renewAt = 0;
  /** Whether another process has released lanes since the last renewal. */
  #isReleased = false;
  #isRefused = false;
  /** How often the bus had lost its server, and when, at the last look at the stream; null after trouble with it. */
  #looked: { disconnects: number; at: number } | null = null;
  /** Aborted when a connection was replaced: what was sent over the old one may never be acknowledged. */
  #connection = new AbortController();
  readonly #polling: PollingWorker;

  constructor(private readonly options: OutboxPublisherOptions) {
    this.#outbox = new OutboxRepository(options.sql);
    this.#leases = new LaneLeaseRepository(options.sql);
    this.#polling = new PollingWorker({
      poll: () => this.#publish(),
      minMs: retryMs,
      maxMs: pollEveryMs,
      onError: (error) => {
        this.#looked = null;
        options.log.warn({ err: error }, 'events wait in the outbox');
      },
    });
  }

  start(): void {
    const { bus, service } = this.options;
    bus.onBroadcast(`outbox.${service}`, () => this.wake());
    bus.onReconnect(() => {
      this.#connection.abort(new Error('the connection was lost before the acknowledgement'));
      this.#connection = new AbortController();
      this.wake();
    });
    bus.onBroadcast(releasedBroadcast('outbox', service), () => {
      this.#isReleased = true;
      this.wake();
    });
    this.#polling.start();
  }

  /** Says that something was written; cheap to call too often. */
  wake(): void {
    this.#polling.wake();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
    await this.#release().catch(() => undefined);
  }

  /** @param lane all without one */
  async #release(lane?: number): Promise<void> {
    const { bus, service } = this.options;
    await this.#leases.release(role, this.#owner, lane);
    if (bus.connected) bus.broadcast(releasedBroadcast('outbox', service), {});
  }

  async #publish(): Promise<number> {
    const startedAt = performance.now();
    const published = await this.#publishOnce();
    if (published > 0) await sleep(Math.max(0, startedAt + spacingMs(published) - performance.now()));
    return published;
  }

  /** @returns how many envelopes it published */
  async #publishOnce(): Promise<number> {
    const { bus, stream, service } = this.options;
    if (!bus.connected) return 0;
    await this.#lookAtStream();
    if (this.#isReleased || performance.now() >= this.#renewAt) await this.#renew();
    if (this.#lanes.size === 0) return 0;
    const waiting = await this.#outbox.listUnpublished([...this.#lanes.keys()], envelopesPerMessage);
    if (waiting.size === 0) return 0;
    const numbers = new Map<number, number>();
    const published = await Promise.allSettled(
      [...waiting].map(async ([lane, envelopes]) => {
        const some = upToBytes(envelopes);
        // Both ends name the message: a message merged otherwise after a crash must not pass for a duplicate.
        const id = `${service}:${some[0]!.outboxId}:${some.at(-1)!.outboxId}`;
        const number = this.#lanes.get(lane)! + 1;
        const headers = { [numberHeader]: String(number) };
        const acknowledged = stream.publish(`events.${service}.${lane}`, messageOf(some), id, { headers });
        await untilAborted(acknowledged, this.#connection.signal);
        this.#lanes.set(lane, number);
        numbers.set(lane, number);
        return some.map(({ outboxId }) => outboxId);
      }),
    );
    const done = published.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (done.length > 0) await this.#outbox.updatePublished(done, this.#owner, numbers);
    const failed = published.find((result) => result.status === 'rejected');
    if (!failed) this.#isRefused = false;
    else if (!isFull(failed.reason) || !(await this.#makeRoom())) throw failed.reason;
    // After room was made, it publishes again at once.
    return failed ? Math.max(done.length, 1) : done.length;
  }

  /** Whether the stream has no room: events wait in the outbox. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Deletes what all consumers have applied, before its age ends. @returns whether there was any */
  async #makeRoom(): Promise<boolean> {
    this.#isRefused = true;
    const { consumers = [], log, stream } = this.options;
    if (consumers.length === 0) return false;
    const deleted = await stream.deleteAcknowledged((durables) => haveAllLanes(consumers, durables));
    if (deleted > 0) log.warn({ deleted }, 'the event stream was full; messages that all have applied were deleted');
    return deleted > 0;
  }

  /** Renews its share of the lanes; nothing is being published meanwhile. */
  async #renew(): Promise<void> {
    this.#isReleased = false;
    this.#lanes = new Map();
    for (const { lane, isSurplus, number } of await this.#leases.claim(role, this.#owner, leaseSeconds)) {
      if (isSurplus) await this.#release(lane);
      else this.#lanes.set(lane, number);
    }
    this.#renewAt = performance.now() + renewEveryMs;
  }

  /**
   * A stream younger than the one published to means that the store was lost, and perhaps another process recreated it.
   */
  async #lookAtStream(): Promise<void> {
    const { bus, stream, log } = this.options;
    const { disconnects } = bus;
    if (this.#looked?.disconnects === disconnects && performance.now() - this.#looked.at < lookEveryMs) return;
    const created = await stream.ensure();
    if (await this.#outbox.rebuildIfLost('events', created)) log.warn('the event store was lost; publishing again');
    this.#looked = { disconnects, at: performance.now() };
  }
}

function upToBytes(envelopes: PendingBatch[]): PendingBatch[] {
  let bytes = 0;
  const end = envelopes.findIndex(({ events }, place) => {
    bytes += events.length;
    return place > 0 && bytes > messageBytesMax;
  });
  return end < 0 ? envelopes : envelopes.slice(0, end);
}

/** Settles as `work` does, or rejects with the reason of the abort, if that comes first. */
function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const messageOf = (envelopes: readonly PendingBatch[]): string =>
  `[${envelopes.map(({ outboxId, events }) => `{"outboxId":"${outboxId}","events":${events}}`).join(',')}]`;
