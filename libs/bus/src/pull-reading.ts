import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { leaveIfSilent } from './liveness.js';

/** A stored message as it was read; its body is parsed when it is needed, since objects are larger than their text. */
export interface PulledMessage {
  /** Its position in the stream. */
  sequence: number;
  /** Without the namespace. */
  subject: string;
  bytes: number;
  header(name: string): string | null;
  /** @throws SyntaxError when it is not JSON */
  json<T>(): T;
  /** The first bytes as text. */
  head(bytes: number): string;
  ack(): void;
  working(): void;
}

/** A request while messages come. The client holds the last ones until its end, so it is short. */
const busy = { expires: 3_000, idle_heartbeat: 1_000 };
/** A request while none come; the first one ends it. Shorter ones cost an idle service more than all else it does. */
const idle = { max_messages: 1, expires: 30_000 };
/** The server’s words for a request that it has answered as far as its limits allow. */
const usualEnd = /batch completed|exceeds maxbytes/i;
/** Two of the largest messages: a server refuses a request whose rest is smaller than the next message. */
const leastPullBytes = 2_600_000;

/** The client's iterator of a connection's statuses can be stopped, though its type does not say so. */
type StatusIterator = ReturnType<NatsConnection['status']> & { stop?: () => void };

export interface PullOptions {
  connection: NatsConnection;
  consumer: Consumer;
  namespace: string;
  /** Bytes of messages that are not released yet. */
  bytesMax: number;
  take: (message: PulledMessage) => void;
  /** Milliseconds between heartbeats of the server while it has no messages; after two missing ones it is left. */
  heartbeatMs(): number;
}

/**
 * Reads a consumer in the order of its stream, request by request, and never holds more bytes than allowed: what was
 * taken counts until it is released. It ends at the first irregularity (a missing heartbeat, a lost connection, a
 * message that was skipped), since only a new consumer delivers at once and in order what was lost on the way.
 */
export class PullReading {
  #held = 0;
  #deliverySequence = 0;
  /** Whether the last request brought messages. */
  #isBusy = false;
  #isStopping = false;
  #isLost = false;
  #current: { close(): Promise<void | Error> } | null = null;
  #wake: () => void = () => undefined;
  readonly #statuses: StatusIterator;
  /** Settles when the reading has ended, with the reason; null when it was stopped. */
  readonly closed: Promise<Error | null>;

  constructor(private readonly options: PullOptions) {
    this.#statuses = options.connection.status();
    void this.#watchConnection();
    this.closed = this.#run();
  }

  /** The bytes of a message are free again. */
  release(bytes: number): void {
    this.#held -= bytes;
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    void this.#current?.close();
    await this.closed;
  }

  async #run(): Promise<Error | null> {
    try {
      return await this.#pullAll();
    } finally {
      this.#statuses.stop?.();
    }
  }

  async #pullAll(): Promise<Error | null> {
    while (!this.#isStopping) {
      await this.#room();
      if (this.#isStopping) break;
      if (this.#isLost) return new Error('the connection was lost');
      const error = await this.#pull().then(
        () => null,
        (thrown: unknown) => thrown as Error,
      );
      if (this.#isStopping || this.#isLost || !error || usualEnd.test(error.message)) continue;
      await leaveIfSilent(this.options.connection);
      return error;
    }
    return null;
  }

  async #room(): Promise<void> {
    while (!this.#isStopping && !this.#isLost && this.options.bytesMax - this.#held < leastPullBytes)
      await new Promise<void>((wake) => (this.#wake = wake));
  }

  async #pull(): Promise<void> {
    const { bytesMax, consumer, heartbeatMs } = this.options;
    const messages = await consumer.fetch(
      this.#isBusy ? { ...busy, max_bytes: bytesMax - this.#held } : { ...idle, idle_heartbeat: heartbeatMs() },
    );
    this.#isBusy = false;
    this.#current = messages;
    if (this.#isStopping || this.#isLost) void messages.close();
    try {
      for await (const message of messages) this.#take(message);
    } finally {
      void messages.close();
    }
  }

  #take(message: JsMsg): void {
    if (this.#isStopping) return;
    const { deliverySequence } = message.info;
    if (deliverySequence !== this.#deliverySequence + 1) throw new Error('a message was lost on the way');
    this.#deliverySequence = deliverySequence;
    this.#isBusy = true;
    const bytes = message.data.length;
    this.#held += bytes;
    this.options.take({
      sequence: message.seq,
      subject: message.subject.slice(this.options.namespace.length + 1),
      bytes,
      header: (name) => message.headers?.get(name) || null,
      json: () => message.json(),
      head: (length) => Buffer.from(message.data.subarray(0, length)).toString('utf8'),
      ack: () => message.ack(),
      working: () => message.working(),
    });
  }

  /** What was sent into a lost connection never arrives. */
  async #watchConnection(): Promise<void> {
    for await (const status of this.#statuses) {
      if (this.#isStopping) return;
      if (status.type !== 'disconnect') continue;
      this.#isLost = true;
      this.#wake();
      void this.#current?.close();
      return;
    }
  }
}
