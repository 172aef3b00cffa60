import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, DurableStream, PulledMessage, PullReading } from '#bus';
import type { Semaphore } from '#concurrency';
import { createdAtOf, ReplicaRepository } from '#database';
import { applyBatches } from './apply-envelopes.js';
import type { ApplierOptions } from './apply-envelopes.js';
import { EventGapRepository } from './event-gap.repository.js';
import { LaneLeaseRepository } from './lane-lease.repository.js';
import type { HeldLane, LanePosition } from './lane-lease.repository.js';
import { continueNumbers, durableOf, isOlderDurable, numberHeader } from './lane.js';
import type { CarriedEvent, EventBatch } from './outbox.js';
import { groupSize } from './settled-messages.js';
import type { SettledData } from './settled-messages.js';
import { isTransient } from './transient.js';

export const leaseSeconds = 15;
/** Of messages read ahead in one lane; as objects they are several times larger, and only those being applied are that. */
const bytesAhead = 4_000_000;
/** No limit beside the bytes. */
const unacknowledgedMax = 20_000;
const eventsPerTransaction = 5_000;
/**
 * The first event is applied at once; those that come so soon after share a transaction, which costs far less. A lane
 * that carries many at a time, a campaign's for instance, gathers longer, but what fills a transaction does not wait.
 */
const spacingMs = (events: number): number => {
  if (events >= eventsPerTransaction / 2) return 0;
  return events < 100 ? 200 : 1_000;
};
/** Longer than any batch takes; a reader that ends is followed by another consumer, which does not wait for this. */
const ackWaitMs = 30_000;
/** The wait after a failure, doubled each time; it is short beside the time a stopping process has. */
export const retryMs = 250;
const retryMaxMs = 4_000;

export interface ConsumerOptions extends ApplierOptions {
  bus: Bus;
  stream: DurableStream;
}

interface LaneBatch {
  messages: PulledMessage[];
  batches: EventBatch[];
  events: number;
  /** The position once they are applied. */
  position: LanePosition;
}

/** Reads and applies a lane from its committed position on, as long as it holds the lane under one fence. */
export class LaneReader {
  readonly #buffer: PulledMessage[] = [];
  #reading: PullReading | null = null;
  #working: Promise<void> = Promise.resolve();
  #position: LanePosition = { created: '', sequence: 0, numbers: {} };
  #savedSequence = 0;
  #receivedSequence = 0;
  /** Whether the consumer of older programs was deleted, since none of them lives. */
  #isAlone = false;
  #deletion: Promise<void> | null = null;
  busy = false;
  ended = false;

  constructor(
    private readonly options: ConsumerOptions & { semaphore: Semaphore },
    private readonly role: string,
    private readonly owner: string,
    private readonly lease: HeldLane,
    private readonly onClosed: () => void,
  ) {}

  get fence(): string {
    return this.lease.fence;
  }

  oldestSeconds(nowMs: number): number {
    const oldest = this.#buffer[0] && /"outboxId":"([0-9a-f-]{36})"/.exec(this.#buffer[0].head(64))?.[1];
    return oldest ? Math.max(0, nowMs - createdAtOf(oldest).getTime()) / 1000 : 0;
  }

  get #leases(): LaneLeaseRepository {
    return new LaneLeaseRepository(this.options.dataSource.manager);
  }

  /**
   * Adds a consumer of its own, begins to read it, and then deletes those of the fences before: the lane has a consumer
   * at every moment, and a second reader does nothing, since its fence is no longer the lane's.
   */
  async start(): Promise<void> {
    const { stream, service } = this.options;
    const durable = durableOf(service, this.lease);
    const filter = `events.*.${this.lease.lane}`;
    try {
      this.#position = await this.#findPosition(await stream.birth());
      this.#savedSequence = this.#receivedSequence = this.#position.sequence;
      await stream.addConsumer(
        { durable, filter, ackWaitMs, maxAckPending: unacknowledgedMax },
        this.#position.sequence,
      );
      this.#reading = await stream.pull(durable, bytesAhead, (message) => this.#take(message));
      void this.#reading.closed.then((reason) => this.#end(reason));
    } catch (error) {
      return this.#end(error as Error);
    }
    this.#deleteOlder();
  }

  async stop(): Promise<void> {
    this.ended = true;
    await this.#reading?.stop().catch(() => undefined);
    await this.#working;
  }

  /** Stores how far the lane was read where nothing was to be applied. */
  async savePosition(): Promise<void> {
    if (this.busy || this.ended) return;
    if (!this.#isAlone) this.#deleteOlder();
    if (this.#savedSequence === this.#position.sequence) return;
    const { sequence } = this.#position;
    await this.#leases.hold(this.role, this.owner, this.lease, { leaseSeconds, position: this.#position });
    this.#savedSequence = sequence;
  }

  /**
   * The committed position; that of the consumer of an older program where none is committed in this stream, or where
   * such a program went on meanwhile.
   */
  async #findPosition(created: string): Promise<LanePosition> {
    const { lane } = this.lease;
    const stored = await this.#leases.findPosition(this.role, lane);
    const committed = stored?.created === created ? stored : null;
    const older = (await this.options.stream.acknowledgedBy(`${this.options.service}_${lane}`)) ?? 0;
    if (committed && committed.sequence >= older) return committed;
    return { created, sequence: older, numbers: {} };
  }

  /** Not awaited: a cluster that lacks leaders does not list its consumers, and other lanes wait to be read. */
  #deleteOlder(): void {
    this.#deletion ??= this.#tryDeletingOlder()
      .catch((error: unknown) =>
        this.options.log.warn({ err: error, lane: this.lease.lane }, 'older consumers of a lane were not deleted'),
      )
      .finally(() => (this.#deletion = null));
  }

  async #tryDeletingOlder(): Promise<void> {
    const { dataSource, service, stream } = this.options;
    // A program that knows no fences would read all that is stored again without its consumer.
    this.#isAlone = (await new ReplicaRepository(dataSource.manager).leastVersion(service)) > 0;
    const plain = `${service}_${this.lease.lane}`;
    await stream.deleteConsumers(
      (durable) => isOlderDurable(durable, service, this.lease) || (this.#isAlone && durable === plain),
    );
  }

  #take(message: PulledMessage): void {
    if (message.sequence <= this.#receivedSequence) {
      // One that is not applied yet is acknowledged when it is.
      if (message.sequence <= this.#position.sequence) message.ack();
      this.#reading?.release(message.bytes);
      return;
    }
    this.#receivedSequence = message.sequence;
    this.#buffer.push(message);
    this.#work();
  }

  #work(): void {
    if (this.busy) return;
    this.busy = true;
    this.#working = this.#drain().finally(() => {
      this.busy = false;
      if (this.ended) this.onClosed();
    });
  }

  async #drain(): Promise<void> {
    for (let failures = 0, trouble = 0; this.#buffer.length > 0 && !this.ended;) {
      const startedAt = performance.now();
      try {
        const events = await this.options.semaphore.run({}, () => this.#applyNext(failures));
        if (events === null) return this.#end(null);
        failures = trouble = 0;
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

  /** @returns how many events the messages had; null when another owner has the lane */
  async #applyNext(failures: number): Promise<number | null> {
    const { messages, batches, events, position } = await this.#nextBatch();
    const applied = await applyBatches(this.options, batches, {
      failures,
      lane: this.lease.lane,
      guard: async (manager) => {
        const leases = new LaneLeaseRepository(manager);
        const isHeld = await leases.hold(this.role, this.owner, this.lease, { leaseSeconds, position });
        if (isHeld) this.#savedSequence = position.sequence;
        return isHeld;
      },
    });
    if (!applied) return null;
    this.#position = position;
    this.#buffer.splice(0, messages.length);
    for (const message of messages) {
      message.ack();
      this.#reading?.release(message.bytes);
    }
    return events;
  }

  /** The first messages, as many as a transaction may hold events, and at least one. */
  async #nextBatch(): Promise<LaneBatch> {
    const next: LaneBatch = { messages: [], batches: [], events: 0, position: this.#position };
    for (const message of this.#buffer) {
      const batches = this.#parse(message);
      const events = batches.reduce((sum, batch) => sum + batch.events.reduce((n, event) => n + weightOf(event), 0), 0);
      if (next.messages.length > 0 && next.events + events > eventsPerTransaction) break;
      next.messages.push(message);
      next.batches.push(...batches);
      next.events += events;
      next.position = await this.#advance(next.position, message);
    }
    return next;
  }

  async #advance(position: LanePosition, message: PulledMessage): Promise<LanePosition> {
    const { sequence } = message;
    const source = message.subject.split('.')[1]!;
    const number = Number(message.header(numberHeader) ?? NaN);
    const { numbers, gap } = continueNumbers(position.numbers, source, number);
    if (gap) {
      const { lane } = this.lease;
      this.options.log.error({ lane, source, ...gap }, 'events are missing: the stream no longer has them');
      const gaps = new EventGapRepository(this.options.dataSource.manager);
      await gaps.insert({ consumer: this.options.service, source, lane, ...gap });
    }
    return { created: position.created, sequence, numbers };
  }

  /** No producer here writes a message without event batches; redelivered, it would block those behind it. */
  #parse(message: PulledMessage): EventBatch[] {
    try {
      const body = message.json<unknown>();
      if (areEnvelopes(body)) return body;
    } catch {
      // It is not JSON.
    }
    const { lane } = this.lease;
    this.options.log.error({ lane, head: message.head(1_000) }, 'a message that holds no events was dropped');
    return [];
  }

  #end(reason: Error | null): void {
    if (reason && !this.ended)
      this.options.log.warn({ err: reason, lane: this.lease.lane }, 'event lane is read again from its position');
    this.ended = true;
    if (!this.busy) this.onClosed();
  }
}

/** How many events one counts as: a group as many as it has messages. Errors within an event are left to its handler. */
function weightOf({ name, data }: CarriedEvent): number {
  const { subscriberIds } = (data ?? {}) as Partial<SettledData>;
  return name === 'messages.settled' && typeof subscriberIds === 'string' ? groupSize({ subscriberIds }) : 1;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a message has the shape of event batches; errors within an event are left to its handler. */
const areEnvelopes = (body: unknown): body is EventBatch[] =>
  Array.isArray(body) &&
  body.every((one: Partial<EventBatch> | null) => {
    if (!one || !uuid.test(String(one.outboxId)) || !Array.isArray(one.events)) return false;
    return one.events.every(
      (event: { name?: unknown; also?: unknown } | null) =>
        typeof event?.name === 'string' && Array.isArray(event.also ?? []),
    );
  });
