import { setTimeout as pause } from 'node:timers/promises';
import { liveUpdateMaxAgeMs, uiStream } from '#bus';
import type { Bus, DurableStream, Reading, TailMessage } from '#bus';
import { liveUpdate, liveUpdateBroadcast, liveUpdateBytesMax } from '#contracts';
import type { LiveUpdate } from '#contracts';
import type { Logger } from '#observability';
import { LiveTail } from './live-tail.js';
import type { LiveEvent, Replay } from './live-tail.js';

const retryMs = 500;
/** How long a client of a starting gateway waits before it must read everything again. */
const readyMs = 3_000;

export interface LiveReaderOptions {
  bus: Bus;
  replicas: number;
  log: Logger;
  deliver: (event: LiveEvent) => void;
  lost: () => void;
}

/** Reads the stream `ui` from its oldest message on, and makes it where it does not exist. */
export class LiveReader {
  readonly #tail: LiveTail;
  readonly #stream: DurableStream;
  #reading: Reading | null = null;
  #stopping = false;
  /** The last sequence when the reading began: what is older must be read before positions mean anything. */
  #goal = Infinity;
  #looping: Promise<void> = Promise.resolve();

  constructor(private readonly options: LiveReaderOptions) {
    this.#tail = new LiveTail({ deliver: options.deliver, maxAgeMs: liveUpdateMaxAgeMs });
    this.#stream = uiStream({ connection: options.bus.connection, namespace: options.bus.home }, options.replicas);
    // The server may have come back without the stream, which the client notices much later.
    options.bus.onReconnect(() => void this.#reading?.stop());
  }

  start(): void {
    this.#looping = this.#loop();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#reading?.stop();
    await this.#looping;
  }

  /** The id of everything delivered so far; null before the first reading. */
  get position(): string | null {
    return this.#tail.birth === '' ? null : this.#tail.position;
  }

  prune(): void {
    this.#tail.prune();
  }

  /** Waits, but not for long, until the messages stored before the start are read. @returns whether they are */
  async ready(): Promise<boolean> {
    for (const end = performance.now() + readyMs; this.#tail.seen < this.#goal;) {
      if (performance.now() > end) return false;
      await pause(20);
    }
    return true;
  }

  async replay(position: string): Promise<Replay> {
    // Another gateway may have been ahead; but a stream that lost its messages counts from 1 again.
    const sequence = Number(position.split('-')[1]);
    if (sequence > this.#tail.seen) {
      const stored = await this.#stream.stored().catch(() => null);
      if (!stored || sequence > stored.lastSequence) return { reset: true };
    }
    return this.#tail.replay(position);
  }

  async #loop(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#read();
      } catch (error) {
        if (this.#stopping) return;
        this.options.log.warn({ err: error }, 'live updates cannot be read');
      }
      if (!this.#stopping) await pause(retryMs);
    }
  }

  async #read(): Promise<void> {
    const birth = Date.parse(await this.#stream.ensure()).toString(36);
    const stored = await this.#stream.stored();
    if (!stored) return;
    const before = stored.firstSequence - 1;
    const known = this.#tail.birth === birth && this.#tail.seen >= before && this.#tail.seen <= stored.lastSequence;
    if (!known) {
      const isFirst = this.#tail.birth === '';
      this.#tail.restart(birth, Math.max(0, before));
      if (!isFirst) this.options.lost();
    }
    this.#goal = stored.lastSequence;
    const reading = await this.#stream.tail(this.#tail.seen + 1, (message) => this.#take(message));
    this.#reading = reading;
    if (this.#stopping) await reading.stop();
    await reading.closed;
    this.#reading = null;
  }

  #take(message: TailMessage): void {
    // A reading that was replaced may still hold some.
    if (message.sequence <= this.#tail.seen) return;
    this.#tail.add(message.sequence, message.at.getTime(), readUpdate(message));
  }
}

/** The update of a message; null for what is none, or is larger than an update may be. */
function readUpdate({ subject, at, data }: TailMessage): LiveUpdate | null {
  try {
    const body = JSON.parse(new TextDecoder().decode(data)) as { organizationId?: string; userId?: string };
    if (subject === `broadcast.${liveUpdateBroadcast}`)
      return data.length > liveUpdateBytesMax ? null : liveUpdate.parse(body);
    const { organizationId: organization, userId } = body;
    if (organization === undefined) return null;
    const change = { organization, at: at.toISOString() };
    return subject === 'broadcast.member.changed'
      ? { name: 'member.changed', id: String(userId), ...change }
      : { name: 'organization.changed', id: organization, ...change };
  } catch {
    return null;
  }
}
