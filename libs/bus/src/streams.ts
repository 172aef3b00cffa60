import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type {
  ConsumerConfig,
  ConsumerMessages,
  JetStreamClient,
  JetStreamManager,
  JsMsg,
  StreamConfig,
  StreamInfo,
} from '@nats-io/jetstream';
import { headers as newHeaders, nanos } from '@nats-io/transport-node';
import type { Bus } from './bus.js';
import { PullReading } from './pull-reading.js';
import type { PulledMessage } from './pull-reading.js';
import { apiTimeoutMs, askAgain, isShortOfStore } from './stream-errors.js';

export interface StreamMessage<T> {
  body: T;
  /** How often it was delivered, 1 the first time. */
  deliveries: number;
  ack(): void;
  nak(delayMs: number): void;
  working(): void;
  /** Never again: it cannot be read. */
  term(reason: string): void;
}

export interface TailMessage {
  sequence: number;
  /** Without the namespace. */
  subject: string;
  at: Date;
  data: Uint8Array;
}

const streamNotFound = 10059;
const consumerNotFound = 10014;
const consumerExists = 10148;
const streamNameInUse = 10058;
/** Where a stream keeps when it was made: the server's own `created` moves when a stream is updated after a restart. */
const createdKey = 'tidings_created';

export interface Reading {
  stop(): Promise<void>;
  closed: Promise<void>;
}

interface Closable {
  close(): Promise<unknown>;
}

type StreamPlace = Pick<Bus, 'connection' | 'namespace'>;

export interface PublishOptions {
  timeoutMs?: number | undefined;
  headers?: Readonly<Record<string, string>>;
}

interface StreamPlan {
  name: string;
  subjects: string[];
  /** `limits` keeps messages for all consumers, `workqueue` until one has acknowledged. */
  retention: 'limits' | 'workqueue';
  maxAgeMs: number | 'none';
  replicas: number;
  /** Maximum number of stored messages: the stream refuses further ones and drops none it has stored. */
  messagesMax?: number;
  /** A message replaces the one of the same subject that still waits. */
  onePerSubject?: true;
  /** Maximum number of stored bytes on disk: the stream refuses further messages and drops none it has stored. */
  bytesMax?: number | undefined;
  /** Keeps messages in the server’s memory, up to this number of bytes; the oldest make room, and all end with the server. */
  memoryBytesMax?: number;
}

export interface StoredMessages {
  count: number;
  firstSequence: number;
  lastSequence: number;
  oldestAt: Date | null;
}

export interface ConsumerSettings {
  durable: string;
  filter: string;
  ackWaitMs: number;
  maxAckPending: number;
}

/** Broadcast after a stream was created; the creation time distinguishes it from the lost one. */
interface Birth {
  created: string;
}

const leastBytesMax = 64_000_000;

/** How long the server recognises a message that is published twice. */
const duplicateWindowMs = 120_000;

/**
 * A server that leads a stream no more forgets who waits there: after two missing heartbeats the client asks again, and
 * when that question finds no leader, once more after a request's time.
 */
const heartbeatMs = 1_000;
const expiresMs = 3_000;
/** Between two heartbeats of a reading for which another one watches the connection. */
const slowHeartbeatMs = 10_000;

const createdOf = ({ config, created }: StreamInfo): string => config.metadata?.[createdKey] ?? created;

/** A durable stream of JSON messages; a stream whose store was lost is recreated. */
export class DurableStream {
  readonly #name: string;
  #manager: JetStreamManager | null = null;
  readonly #client: JetStreamClient;
  #created = '';
  /** Reads by bytes, the oldest first. */
  readonly #pulls = new Set<Closable>();
  /** Running reads, each with the creation time of its stream; null until the first read. */
  #readings: Map<Closable, string> | null = null;

  constructor(
    private readonly bus: StreamPlace,
    private readonly plan: StreamPlan,
  ) {
    this.#name = `${bus.namespace}_${plan.name}`;
    this.#client = jetstream(bus.connection);
  }

  async #api(): Promise<JetStreamManager> {
    this.#manager ??= await jetstreamManager(this.bus.connection, { timeout: apiTimeoutMs });
    return this.#manager;
  }

  /** For requests that may be repeated. */
  async #repeatedly<T>(ask: (api: JetStreamManager) => Promise<T>): Promise<T> {
    return await askAgain(async (timeout) =>
      ask(await jetstreamManager(this.bus.connection, { timeout, checkAPI: false })),
    );
  }

  /**
   * Creates the stream or updates its settings. @returns its creation time, by which a recreated stream is recognised
   */
  async ensure(): Promise<string> {
    const { streams } = await this.#api();
    const { maxAgeMs, messagesMax, onePerSubject, memoryBytesMax, bytesMax } = this.plan;
    const settings = {
      subjects: this.plan.subjects.map((subject) => `${this.bus.namespace}.${subject}`),
      retention: this.plan.retention === 'limits' ? RetentionPolicy.Limits : RetentionPolicy.Workqueue,
      storage: memoryBytesMax === undefined ? StorageType.File : StorageType.Memory,
      max_age: maxAgeMs === 'none' ? 0 : nanos(maxAgeMs),
      num_replicas: this.plan.replicas,
      duplicate_window: nanos(maxAgeMs === 'none' ? duplicateWindowMs : Math.min(duplicateWindowMs, maxAgeMs)),
      ...(messagesMax !== undefined && { max_msgs: messagesMax, discard: DiscardPolicy.New }),
      ...(bytesMax !== undefined && { discard: DiscardPolicy.New }),
      ...(memoryBytesMax !== undefined && { max_bytes: memoryBytesMax, discard: DiscardPolicy.Old }),
      ...(onePerSubject && { max_msgs_per_subject: 1, allow_direct: true }),
    };
    const known = (await this.#info()) ?? (await this.#limited((limit) => this.#add({ ...settings, ...limit }), 0));
    const created = createdOf(known);
    const metadata = { ...known.config.metadata, [createdKey]: created };
    await this.#limited((limit) => streams.update(this.#name, { ...settings, ...limit, metadata }), known.state.bytes);
    this.#created = created;
    return created;
  }

  /**
   * Creates or updates the stream with its limit of bytes, which the server reserves: half of it, and so on, where its
   * store has not that much left, and none below 64 MB. Never less than is stored, since the server could drop some.
   */
  async #limited(write: (limit: Pick<StreamConfig, 'max_bytes'> | object) => Promise<StreamInfo>, stored: number) {
    const { bytesMax } = this.plan;
    if (bytesMax === undefined) return await write({});
    for (let bytes = bytesMax; bytes >= Math.min(bytesMax, leastBytesMax); bytes = Math.floor(bytes / 2)) {
      try {
        return await write({ max_bytes: Math.max(bytes, stored) });
      } catch (error) {
        if (!isShortOfStore(error)) throw error;
      }
    }
    return await write({ max_bytes: -1 });
  }

  /** Returns the creation time of the stream, which is made if it does not exist. */
  async birth(): Promise<string> {
    const info = await this.#info();
    if (!info) return await this.ensure();
    this.#created = createdOf(info);
    return this.#created;
  }

  async #info(): Promise<StreamInfo | null> {
    return await this.#repeatedly(({ streams }) => streams.info(this.#name)).catch((error: unknown) => {
      if ((error as { code?: number }).code === streamNotFound) return null;
      throw error;
    });
  }

  async #add(settings: Partial<StreamConfig>): Promise<StreamInfo> {
    const { streams } = await this.#api();
    const created = new Date().toISOString();
    try {
      const made = await streams.add({ name: this.#name, ...settings, metadata: { [createdKey]: created } });
      this.bus.connection.publish(this.#birth, JSON.stringify({ created } satisfies Birth));
      return made;
    } catch (error) {
      // Another process made it meanwhile, a moment earlier or later.
      if ((error as { code?: number }).code !== streamNameInUse) throw error;
      return (await this.#info()) ?? (await this.#add(settings));
    }
  }

  get #birth(): string {
    return `${this.bus.namespace}.broadcast.stream.${this.plan.name}`;
  }

  /**
   * Ends reads of a stream that was replaced. The server does not always notify all readers (2.10 drops notices not yet
   * sent when the stream ends), and the client's own check takes two heartbeats.
   */
  #listen(): Map<Closable, string> {
    const readings = new Map<Closable, string>();
    this.bus.connection.subscribe(this.#birth, {
      callback: (error, message) => {
        if (error) return;
        const { created } = message.json<Birth>();
        for (const [messages, read] of readings) if (read !== created) void messages.close();
      },
    });
    return readings;
  }

  /**
   * Publishes and waits for the server's acknowledgement (a duplicate counts as one).
   * @param body JSON
   * @param id the server drops a second message of the same id within two minutes
   * @param options `timeoutMs`: how long the acknowledgement is waited for; the client's 5 s without it
   */
  async publish(subject: string, body: string, id?: string, options: PublishOptions = {}): Promise<void> {
    const { timeoutMs, headers } = options;
    const sent = headers && newHeaders();
    for (const [name, value] of Object.entries(headers ?? {})) sent!.set(name, value);
    await this.#client.publish(`${this.bus.namespace}.${subject}`, body, {
      ...(sent && { headers: sent }),
      ...(id !== undefined && { msgID: id }),
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    });
  }

  /** Returns the share of the stream's bytes that is in use; null where it has no limit or does not exist. */
  async fullness(): Promise<number | null> {
    const info = await this.#info();
    return info && info.config.max_bytes > 0 ? info.state.bytes / info.config.max_bytes : null;
  }

  async stored(): Promise<StoredMessages | null> {
    const info = await this.#info();
    if (!info) return null;
    const { messages: count, first_seq: firstSequence, last_seq: lastSequence, first_ts: firstAt } = info.state;
    return { count, firstSequence, lastSequence, oldestAt: count > 0 ? new Date(firstAt) : null };
  }

  /** Reads the bodies of all stored messages, the oldest first, without taking any; none if the stream does not exist. */
  async *list<T>(): AsyncGenerator<T> {
    const { direct } = await this.#api();
    const end = (await this.stored())?.lastSequence ?? 0;
    for (let sequence = 1; sequence <= end; sequence++) {
      const message = await direct.getMessage(this.#name, { seq: sequence, next_by_subj: `${this.bus.namespace}.>` });
      if (!message) return;
      yield message.json<T>();
      sequence = message.seq;
    }
  }

  /**
   * Redelivery never stops by itself: a message that keeps failing is the reader's to put aside, so that it is not
   * dropped without a trace.
   */
  async ensureConsumer(durable: string, filter: string, ackWaitMs: number, maxAckPending: number): Promise<void> {
    const settings = { durable, filter, ackWaitMs, maxAckPending };
    await this.#addConsumer(settings, { deliver_policy: DeliverPolicy.All }).catch(async (error: unknown) => {
      if ((error as { code?: number }).code !== consumerExists) throw error;
      // Another version made it, with other numbers.
      const { consumers } = await this.#api();
      await consumers.update(this.#name, durable, { ack_wait: nanos(ackWaitMs), max_ack_pending: maxAckPending });
    });
  }

  async #addConsumer(
    { durable, filter, ackWaitMs, maxAckPending }: ConsumerSettings,
    from: Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_seq'>,
  ): Promise<void> {
    const settings = {
      durable_name: durable,
      filter_subject: `${this.bus.namespace}.${filter}`,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      ...from,
      max_ack_pending: maxAckPending,
      max_deliver: -1,
    };
    await this.#repeatedly(({ consumers }) => consumers.add(this.#name, settings));
  }

  /**
   * Adds a consumer that begins after a position: `null` for the first stored message. Another consumer of the same name
   * and settings is taken as it is.
   */
  async addConsumer(settings: ConsumerSettings, afterSequence: number | null): Promise<void> {
    await this.#addConsumer(
      settings,
      afterSequence === null
        ? { deliver_policy: DeliverPolicy.All }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: afterSequence + 1 },
    );
  }

  /** Returns up to which position a consumer has acknowledged everything; null when there is no such consumer. */
  async acknowledgedBy(durable: string): Promise<number | null> {
    const known = await this.#repeatedly(({ consumers }) => consumers.info(this.#name, durable)).catch(
      nullIfNoConsumer,
    );
    return known && known.ack_floor.stream_seq;
  }

  /**
   * Deletes the messages that all consumers have acknowledged.
   * @param isComplete whether all consumers that need the messages are among these; otherwise nothing is deleted
   * @returns how many messages were deleted
   */
  async deleteAcknowledged(isComplete: (durables: ReadonlySet<string>) => boolean): Promise<number> {
    const { consumers, streams } = await this.#api();
    const info = await this.#info();
    if (!info) return 0;
    let acknowledged = info.state.last_seq;
    const durables = new Set<string>();
    for await (const consumer of consumers.list(this.#name)) {
      durables.add(consumer.name);
      const isIdle = consumer.num_pending === 0 && consumer.num_ack_pending === 0;
      if (!isIdle) acknowledged = Math.min(acknowledged, consumer.ack_floor.stream_seq);
    }
    if (!isComplete(durables) || acknowledged < info.state.first_seq) return 0;
    return (await streams.purge(this.#name, { seq: acknowledged + 1 })).purged;
  }

  /** Deletes the consumers whose names are to be deleted. */
  async deleteConsumers(isDeleted: (durable: string) => boolean): Promise<void> {
    const { consumers } = await this.#api();
    for await (const { name } of consumers.list(this.#name))
      if (isDeleted(name)) await consumers.delete(this.#name, name).catch(nullIfNoConsumer);
  }

  /**
   * Reads a consumer by bytes; ends at the first irregularity, after which a new consumer is to be added.
   * @param bytesMax of messages taken and not released
   */
  async pull(durable: string, bytesMax: number, take: (message: PulledMessage) => void): Promise<PullReading> {
    this.#readings ??= this.#listen();
    const created = this.#created;
    const { connection, namespace } = this.bus;
    const consumer = await askAgain((timeout) =>
      jetstream(this.bus.connection, { timeout }).consumers.get(this.#name, durable),
    );
    const closable = { close: () => reading.stop() };
    this.#pulls.add(closable);
    // A connection is lost for all, so the oldest watches it where no consumer has a leader of its own.
    const watches = () => this.plan.replicas > 1 || closable === this.#pulls.values().next().value;
    const intervalMs = () => (watches() ? heartbeatMs : slowHeartbeatMs);
    const reading = new PullReading({ connection, consumer, namespace, bytesMax, take, heartbeatMs: intervalMs });
    this.#readings.set(closable, created);
    void reading.closed.then(() => {
      this.#pulls.delete(closable);
      this.#readings?.delete(closable);
    });
    return reading;
  }

  async pending(durable: string): Promise<number> {
    const { consumers } = await this.#api();
    const info = await consumers.info(this.#name, durable);
    return info.num_pending + info.num_ack_pending;
  }

  /**
   * Delivers messages as they arrive, at most `ahead` of them unacknowledged.
   * @returns `stop`: unacknowledged messages are redelivered to the next reader; `closed`: settles when the read has
   * ended, also because the stream is gone
   */
  async consume<T>(durable: string, ahead: number, take: (message: StreamMessage<T>) => void): Promise<Reading> {
    this.#readings ??= this.#listen();
    const created = this.#created;
    const consumer = await this.#client.consumers.get(this.#name, durable);
    const messages: ConsumerMessages = await consumer.consume({
      max_messages: ahead,
      expires: expiresMs,
      idle_heartbeat: heartbeatMs,
      // Otherwise the client polls a lost stream forever, and no process recreates it.
      abort_on_missing_resource: true,
      callback: (message: JsMsg) => {
        let body: T;
        try {
          body = message.json<T>();
        } catch {
          message.term('not JSON');
          return;
        }
        take({
          body,
          deliveries: message.info.deliveryCount,
          ack: () => message.ack(),
          nak: (delayMs) => message.nak(delayMs),
          working: () => message.working(),
          term: (reason) => message.term(reason),
        });
      },
    });
    return this.#reading(messages, created);
  }

  /**
   * Delivers stored and new messages in order from a sequence on, to this reader alone, and takes none.
   * @returns as `consume` does
   */
  async tail(from: number, take: (message: TailMessage) => void): Promise<Reading> {
    this.#readings ??= this.#listen();
    const created = this.#created;
    const consumer = await this.#client.consumers.get(this.#name, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
    });
    const messages = await consumer.consume({
      expires: expiresMs,
      idle_heartbeat: heartbeatMs,
      abort_on_missing_resource: true,
      callback: (message: JsMsg) =>
        take({
          sequence: message.seq,
          subject: message.subject.slice(this.bus.namespace.length + 1),
          at: message.time,
          data: message.data,
        }),
    });
    return this.#reading(messages, created);
  }

  #reading(messages: ConsumerMessages, created: string): Reading {
    const readings = this.#readings!;
    readings.set(messages, created);
    return {
      stop: async () => {
        await messages.close();
      },
      closed: messages
        .closed()
        .catch(() => undefined)
        .then(() => void readings.delete(messages)),
    };
  }
}

function nullIfNoConsumer(error: unknown): null {
  if ((error as { code?: number }).code === consumerNotFound) return null;
  throw error;
}

/** 48 hours: as long as the outbox keeps what it published. */
const eventsMaxAgeMs = 48 * 3600 * 1000;

/** The stream of domain events: subjects `events.<service>.<lane>`. */
export const eventStream = (bus: StreamPlace, replicas = 1, bytesMax?: number): DurableStream =>
  new DurableStream(bus, {
    name: 'events',
    subjects: ['events.*.*'],
    retention: 'limits',
    maxAgeMs: eventsMaxAgeMs,
    replicas,
    bytesMax,
  });

/** The stream of raw opens and clicks, from the public links to delivery: subject `hits`. */
export const hitStream = (bus: StreamPlace, replicas = 1, bytesMax?: number): DurableStream =>
  new DurableStream(bus, {
    name: 'hits',
    subjects: ['hits'],
    retention: 'workqueue',
    maxAgeMs: eventsMaxAgeMs,
    replicas,
    bytesMax,
  });

/** About 300 MB on disk and 75 MB of the server's memory; a campaign to 10 million recipients brings some 50,000. */
const choicesMax = 500_000;

/** The stream of unsubscriptions that wait for the subscriber service: subjects `choices.unsubscribe.<message>`. */
export const choiceStream = (bus: StreamPlace, replicas = 1): DurableStream =>
  new DurableStream(bus, {
    name: 'choices',
    subjects: ['choices.*.*'],
    retention: 'workqueue',
    maxAgeMs: 'none',
    messagesMax: choicesMax,
    onePerSubject: true,
    replicas,
  });

export const liveUpdateMaxAgeMs = 600_000;

/** The stream of updates for those who watch records, and of broadcasts that are such updates too. */
export const uiStream = (bus: StreamPlace, replicas = 1): DurableStream =>
  new DurableStream(bus, {
    name: 'ui',
    subjects: ['broadcast.ui', 'broadcast.organization.changed', 'broadcast.member.changed'],
    retention: 'limits',
    maxAgeMs: liveUpdateMaxAgeMs,
    memoryBytesMax: 64 * 1024 * 1024,
    replicas,
  });
