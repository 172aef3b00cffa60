import { PollingWorker, Semaphore } from '#concurrency';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, DurableStream, Reading, StreamMessage } from '#bus';
import { createdAtOf } from '#database';
import { applyBatches } from './apply-envelopes.js';
import type { ApplierOptions } from './apply-envelopes.js';
import { laneCount } from './lane.js';
import { LaneLeaseRepository } from './lane-lease.repository.js';
import type { HeldLane } from './lane-lease.repository.js';
import type { EventBatch } from './outbox.js';
import { isTransient } from './transient.js';

const leaseSeconds = 15;
const renewEveryMs = 5_000;
/** A message holds at most about 1 MB. */
const messagesAhead = 100;
const eventsPerTransaction = 5_000;
/**
 * The first event is applied at once; those that come so soon after share a transaction, which costs far less. A lane
 * that carries many at a time, a campaign's for instance, gathers longer.
 */
const spacingMs = (events: number): number => (events < 200 ? 200 : 400);
/** Longer than any batch takes; redelivery is for dead processes, not for slow ones. */
const ackWaitMs = 30_000;
/**
 * Lanes of a process that are applied at the same time. What happens at one moment comes by all lanes at once, and calls
 * would wait for all of it; one that cannot go on must not hold up the others.
 */
const concurrency = 2;
/** The wait after a failure, doubled each time; it is short beside the time a stopping process has. */
const retryMs = 250;
const retryMaxMs = 4_000;

export const durableOf = (service: string, lane: number): string => `${service}_${lane}`;

export interface ConsumerOptions extends ApplierOptions {
  bus: Bus;
  stream: DurableStream;
}

/**
 * Applies the events of all services that have a handler here: each lane is read by one process at a time, effects and
 * inbox rows share a transaction, and an event that cannot be applied is put aside without holding up the others.
 */
export class EventConsumer {
  readonly #owner = randomUUID();
  readonly #lanes = new Map<number, LaneReader>();
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
    this.#polling.start();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
    await Promise.all([...this.#lanes.values()].map((reader) => reader.stop()));
    await new LaneLeaseRepository(this.options.dataSource.manager)
      .release(this.#role, this.#owner)
      .catch(() => undefined);
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

  /** All lanes end together when their stream is gone, so they are read again together. */
  readonly #readAgain = (): void => void setTimeout(() => this.#polling.wake(), retryMs).unref();

  async #renew(): Promise<void> {
    const held = await new LaneLeaseRepository(this.options.dataSource.manager).claim(
      this.#role,
      this.#owner,
      leaseSeconds,
    );
    for (let lane = 0; lane < laneCount; lane++) {
      const lease = held.find((one) => one.lane === lane);
      const reader = this.#lanes.get(lane);
      // No process takes a lane over from a running batch: its transaction holds the lease, even an expired one.
      if (reader?.busy) continue;
      if (reader && (!lease || reader.ended || reader.fence !== lease.fence)) {
        this.#lanes.delete(lane);
        await reader.stop();
      }
      if (lease && !this.#lanes.has(lane) && !this.#polling.isStopping && this.options.bus.connected) {
        const fresh = new LaneReader(
          { ...this.options, semaphore: this.#semaphore },
          this.#role,
          this.#owner,
          lease,
          this.#readAgain,
        );
        this.#lanes.set(lane, fresh);
        await fresh.start();
      }
    }
  }
}

class LaneReader {
  #buffer: StreamMessage<EventBatch[]>[] = [];
  #reading: Reading | null = null;
  #working: Promise<void> = Promise.resolve();
  busy = false;
  ended = false;

  constructor(
    private readonly options: ConsumerOptions & { semaphore: Semaphore },
    private readonly role: string,
    private readonly owner: string,
    private readonly lease: HeldLane,
    private readonly onClosed: () => void,
  ) {}

  oldestSeconds(nowMs: number): number {
    const oldest = this.#buffer[0]?.body[0];
    return oldest ? Math.max(0, nowMs - createdAtOf(oldest.outboxId).getTime()) / 1000 : 0;
  }

  get fence(): string {
    return this.lease.fence;
  }

  async start(): Promise<void> {
    const { stream, service } = this.options;
    const durable = durableOf(service, this.lease.lane);
    try {
      await stream.ensure();
      await stream.takeOverConsumer(durable, `events.*.${this.lease.lane}`, ackWaitMs, messagesAhead);
      this.#reading = await stream.consume<EventBatch[]>(durable, messagesAhead, (message) => {
        if (!areEnvelopes(message.body)) return this.#refuse(message);
        this.#buffer.push(message);
        this.#work();
      });
      void this.#reading.closed.then(() => {
        this.ended = true;
        this.onClosed();
      });
    } catch (error) {
      this.ended = true;
      this.options.log.warn({ err: error, lane: this.lease.lane }, 'event lane cannot be read');
    }
  }

  async stop(): Promise<void> {
    this.ended = true;
    await this.#reading?.stop().catch(() => undefined);
    await this.#working;
  }

  /** No producer here writes such a message; it would be redelivered forever and block the messages behind it. */
  #refuse(message: StreamMessage<unknown>): void {
    this.options.log.error({ lane: this.lease.lane, body: message.body }, 'a message that holds no events was dropped');
    message.term('no events');
  }

  #work(): void {
    if (this.busy) return;
    this.busy = true;
    this.#working = this.#drain().finally(() => (this.busy = false));
  }

  async #drain(): Promise<void> {
    for (let failures = 0, trouble = 0; this.#buffer.length > 0 && !this.ended;) {
      const messages = upToEvents(this.#buffer);
      const startedAt = performance.now();
      try {
        const envelopes = messages.flatMap(({ body }) => body);
        const applied = await this.options.semaphore.run({}, () =>
          applyBatches(this.options, envelopes, {
            failures,
            lane: this.lease.lane,
            guard: (manager) => new LaneLeaseRepository(manager).hold(this.role, this.owner, this.lease, leaseSeconds),
          }),
        );
        if (!applied) return this.#end();
        messages.forEach((message) => message.ack());
        this.#buffer.splice(0, messages.length);
        failures = trouble = 0;
        const events = messages.reduce((sum, { body }) => sum + countOf(body), 0);
        await sleep(Math.max(0, startedAt + spacingMs(events) - performance.now()));
      } catch (error) {
        // What waits for a database to come back must not be put aside as unreadable.
        if (!isTransient(error)) failures += 1;
        this.options.log.warn({ err: error, lane: this.lease.lane, failures }, 'events could not be applied');
        this.#buffer.forEach((message) => message.working());
        await sleep(Math.min(retryMs * 2 ** trouble++, retryMaxMs));
      }
    }
  }

  #end(): void {
    this.ended = true;
    this.#buffer.splice(0).forEach((message) => message.nak(0));
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a message has the shape of event batches; errors within an event are left to its handler. */
const areEnvelopes = (body: unknown): boolean =>
  Array.isArray(body) &&
  body.every((one: Partial<EventBatch> | null) => {
    if (!one || !uuid.test(String(one.outboxId)) || !Array.isArray(one.events)) return false;
    return one.events.every(
      (event: { name?: unknown; also?: unknown } | null) =>
        typeof event?.name === 'string' && Array.isArray(event.also ?? []),
    );
  });

const countOf = (envelopes: readonly EventBatch[]): number =>
  envelopes.reduce((sum, { events }) => sum + events.length, 0);

/** The first messages, as many as a transaction may hold events, and at least one. */
function upToEvents(messages: readonly StreamMessage<EventBatch[]>[]): StreamMessage<EventBatch[]>[] {
  let count = 0;
  const end = messages.findIndex(({ body }, place) => {
    count += countOf(body);
    return place > 0 && count > eventsPerTransaction;
  });
  return end < 0 ? [...messages] : messages.slice(0, end);
}
