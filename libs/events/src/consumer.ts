import { PollingWorker, Semaphore } from '#concurrency';
import { randomUUID } from 'node:crypto';
import { laneCount } from './lane.js';
import { LaneLeaseRepository, releasedBroadcast } from './lane-lease.repository.js';
import type { ClaimedLane, HeldLane } from './lane-lease.repository.js';
import { LaneReader, leaseSeconds, retryMs } from './lane-reader.js';
import type { ConsumerOptions } from './lane-reader.js';

const renewEveryMs = 5_000;
/**
 * Lanes of a process that are applied at the same time. What happens at one moment comes by all lanes at once, and calls
 * would wait for all of it; one that cannot go on must not hold up the others.
 */
const concurrency = 2;

/**
 * Applies the events of all services that have a handler here: each lane is read by one process at a time, effects and
 * inbox rows share a transaction, and an event that cannot be applied is put aside without holding up the others. The
 * live processes share the lanes.
 */
export class EventConsumer {
  readonly #owner = randomUUID();
  readonly #lanes = new Map<number, LaneReader>();
  /** Lanes that are handed over after their batch. */
  readonly #leaving = new Map<number, Promise<void>>();
  readonly #semaphore = new Semaphore({ limit: concurrency });
  readonly #polling: PollingWorker;

  constructor(private readonly options: ConsumerOptions) {
    this.#polling = new PollingWorker({
      poll: () => this.#renew().then(() => 0),
      minMs: renewEveryMs,
      maxMs: renewEveryMs,
      onError: (error) => options.log.warn({ err: error }, 'event lanes cannot be claimed'),
    });
  }

  start(): void {
    const { bus, service } = this.options;
    bus.onReconnect(() => this.#polling.wake());
    bus.onBroadcast(releasedBroadcast('consumer', service), () => this.#polling.wake());
    this.#polling.start();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
    await Promise.all([...this.#lanes.values()].map((reader) => reader.stop()));
    await Promise.all(this.#leaving.values());
    await this.#release().catch(() => undefined);
  }

  /**
   * How old the oldest event is that was read and is not applied, for each lane that is read here.
   * @param nowMs milliseconds since the epoch
   * @returns seconds by lane; 0 where nothing waits
   */
  oldestSeconds(nowMs: number): Map<string, number> {
    return new Map([...this.#lanes].map(([lane, reader]) => [String(lane), reader.oldestSeconds(nowMs)]));
  }

  get #role(): string {
    return `consumer ${this.options.service}`;
  }

  get #leases(): LaneLeaseRepository {
    return new LaneLeaseRepository(this.options.dataSource.manager);
  }

  /** All lanes end together when their stream is gone, so they are read again together. */
  readonly #readAgain = (): void => void setTimeout(() => this.#polling.wake(), retryMs).unref();

  async #renew(): Promise<void> {
    const claimed = await this.#leases.claim(this.#role, this.#owner, leaseSeconds);
    const lanes = Array.from({ length: laneCount }, (_, lane) => lane);
    await Promise.all(
      lanes.map((lane) =>
        this.#renewLane(
          lane,
          claimed.find((one) => one.lane === lane),
        ),
      ),
    );
  }

  async #renewLane(lane: number, lease: ClaimedLane | undefined): Promise<void> {
    if (this.#leaving.has(lane)) return;
    const reader = this.#lanes.get(lane);
    if (lease?.isSurplus) return this.#handOver(lane, reader);
    // No process takes a lane over from a running batch: its transaction holds the lease, even an expired one.
    if (reader?.busy) return;
    if (reader && lease && !reader.ended && reader.fence === lease.fence) return await reader.savePosition();
    const mayRead = !this.#polling.isStopping && this.options.bus.connected;
    // What ended is kept until it can be read again, since its fence has a consumer.
    if (lease && !mayRead) return;
    this.#lanes.delete(lane);
    await reader?.stop();
    if (!lease) return;
    // A consumer delivers again at once and in order only what is read by a new one, which has the name of its fence.
    const held = reader?.fence === lease.fence ? await this.#raiseFence(lease) : lease;
    if (held) await this.#read(held);
  }

  async #raiseFence(lease: HeldLane): Promise<HeldLane | null> {
    return await this.#leases.raiseFence(this.#role, this.#owner, lease);
  }

  async #read(lease: HeldLane): Promise<void> {
    const options = { ...this.options, semaphore: this.#semaphore };
    const reader = new LaneReader(options, this.#role, this.#owner, lease, this.#readAgain);
    this.#lanes.set(lease.lane, reader);
    await reader.start();
  }

  /** @param lane all without one */
  async #release(lane?: number): Promise<void> {
    const { bus, service } = this.options;
    await this.#leases.release(this.#role, this.#owner, lane);
    if (bus.connected) bus.broadcast(releasedBroadcast('consumer', service), {});
  }

  #handOver(lane: number, reader: LaneReader | undefined): void {
    this.#lanes.delete(lane);
    const left = (reader?.stop() ?? Promise.resolve())
      .then(() => this.#release(lane))
      .catch((error: unknown) => this.options.log.warn({ err: error, lane }, 'an event lane was not handed over'))
      .finally(() => this.#leaving.delete(lane));
    this.#leaving.set(lane, left);
  }
}
