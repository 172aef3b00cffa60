import { Worker } from 'node:worker_threads';
import type { Logger } from '#observability';
import type { AttemptReport } from '../../message/attempt-report.js';
import type { SmtpMessage } from '../../message/message.js';
import type { RenderRequest, RenderResult } from '../render/render-protocol.js';
import type { Pipelining } from './pipelining.js';
import type { RelayAddress } from './relay-address.js';
import { noOrders } from './thread-protocol.js';
import type { Opened, ThreadOrders, ThreadResults, ThreadStart } from './thread-protocol.js';
import { attemptsMax, readReports } from './wire-protocol.js';
import type { AttemptTerms, SmtpTimeouts, WireSigns } from './wire-protocol.js';

/** A rendered message, which stays in its thread. It is sent, or has to be dropped. */
export interface RenderedHandle {
  thread: SendThread;
  number: number;
  to: string;
  octets: number;
  isSigned: boolean;
  /** False for a relay that does not want our signature: it is removed before the attempt. */
  withSignature: boolean;
  /** False once it is sent or dropped. */
  isHeld: boolean;
}

export type Sendable = RenderedHandle | SmtpMessage;

export type OnReport = (report: AttemptReport, signs: WireSigns) => void;

interface OpenAttempt {
  connection: SendConnection;
  handle: RenderedHandle | null;
  onReport: OnReport;
}

interface Waiting<T> {
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

/** Thrown for work of a thread that has ended; nothing of it was done. */
export class ThreadEnded extends Error {
  constructor() {
    super('The render thread has ended');
  }
}

/** Thrown when a connection could not be opened; `isTurnedAway` if the relay refused it. */
export class NotOpened extends Error {
  constructor(
    message: string,
    readonly isTurnedAway: boolean,
  ) {
    super(message);
  }
}

export const isRendered = (message: Sendable): message is RenderedHandle => 'thread' in message;

/**
 * One thread that renders messages and sends them over its connections. Orders of one turn of the event loop go to it
 * together, and so do its results.
 */
export class SendThread {
  readonly #worker: Worker;
  readonly #dots = new Int32Array(new SharedArrayBuffer(attemptsMax * Int32Array.BYTES_PER_ELEMENT));
  readonly #attempts: (OpenAttempt | null)[] = Array.from({ length: attemptsMax }, () => null);
  readonly #freeIndexes = Array.from({ length: attemptsMax }, (_, place) => attemptsMax - 1 - place);
  readonly #connections = new Map<number, SendConnection>();
  readonly #opens = new Map<number, Waiting<Opened>>();
  readonly #renders = new Map<number, Waiting<RenderResult>>();
  readonly #fetches = new Map<number, Waiting<SmtpMessage | null>>();
  #orders: ThreadOrders | null = null;
  #connectionsOpened = 0;
  #isAlive = true;
  readonly #exited: Promise<void>;
  /** Ids of render plans that the thread was sent; it may have dropped old ones. */
  readonly plans = new Set<number>();
  /** Rendered messages that are neither sent nor dropped, and their octets. */
  held = 0;
  heldOctets = 0;

  constructor(file: URL, { log, onEnd }: { log: Logger; onEnd: () => void }) {
    const workerData: ThreadStart = { dots: this.#dots.buffer };
    this.#worker = new Worker(file, { workerData });
    // Callers hold connections to the database besides: a thread alone need not keep the process.
    this.#worker.unref();
    this.#worker.on('message', (results: ThreadResults) => this.#take(results));
    this.#worker.on('error', (error) => log.error({ err: error }, 'render thread failed'));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        onEnd();
        this.#die();
        resolve();
      });
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get load(): number {
    return this.#renders.size + this.held;
  }

  get connections(): number {
    return this.#connections.size + this.#opens.size;
  }

  /** @throws ThreadEnded */
  async render(request: RenderRequest): Promise<RenderResult> {
    return await this.#waitFor(this.#renders, request.order, (orders) => orders.renders.push(request));
  }

  /** Returns the text of a rendered message for another thread; null if it is gone. @throws ThreadEnded */
  async fetch({ number }: RenderedHandle): Promise<SmtpMessage | null> {
    return await this.#waitFor(this.#fetches, number, (orders) => orders.fetches.push(number));
  }

  /** Counts a message that was rendered. */
  keep(handle: RenderedHandle): void {
    this.held += 1;
    this.heldOctets += handle.octets;
  }

  /** Deletes a message that is not sent. Once is enough; another time changes nothing. */
  drop(handle: RenderedHandle): void {
    if (this.#release(handle)) this.#order((orders) => orders.drops.push(handle.number));
  }

  /** @throws NotOpened, or ThreadEnded */
  async open(
    address: RelayAddress,
    options: { timeouts: SmtpTimeouts; receipts: boolean; pipelining: Pipelining },
  ): Promise<SendConnection> {
    const connection = this.#connectionsOpened++;
    const opened = await this.#waitFor(this.#opens, connection, (orders) =>
      orders.opens.push({ connection, address, ...options }),
    );
    if (opened.failure) throw new NotOpened(opened.failure.message, opened.failure.isTurnedAway);
    const one = new SendConnection(this, connection, address, opened.offersPipelining);
    this.#connections.set(connection, one);
    return one;
  }

  /** Attempts a message on a connection of this thread; a rendered one must be of this thread too. */
  attempt(connection: SendConnection, message: Sendable, terms: AttemptTerms, onReport: OnReport): void {
    const index = this.#isAlive ? this.#freeIndexes.pop() : undefined;
    const handle = isRendered(message) ? message : null;
    if (index === undefined) return onReport(...notBegun);
    this.#attempts[index] = { connection, handle, onReport };
    this.#dots[index] = 0;
    const orders = this.#ordersOfTurn();
    const { before, journal } = terms;
    if (isRendered(message)) {
      const signs = message.isSigned && !message.withSignature ? 0 : 1;
      const { file = -1, position = 0, relayId = 0 } = journal ?? {};
      orders.attempts.push(connection.id, index, message.number, signs, before, file, position, relayId);
    } else orders.texts.push({ connection: connection.id, index, message, before, journal });
  }

  setPipelining(connections: readonly SendConnection[], pipelining: Pipelining): void {
    this.#order((orders) => orders.pipelining.push({ connections: connections.map(({ id }) => id), pipelining }));
  }

  /** @param politely whether to say QUIT */
  close({ id }: SendConnection, politely: boolean): void {
    if (this.#connections.delete(id)) this.#order((orders) => orders[politely ? 'quits' : 'closes'].push(id));
  }

  /**
   * Quits the connections and ends the thread, by force after a while. Attempts in progress are not reported any more:
   * who takes over finds their marks.
   * @param patienceMs that while
   */
  async stop(patienceMs: number): Promise<void> {
    this.#attempts.fill(null);
    this.#order((orders) => (orders.stop = true));
    const late = setTimeout(() => void this.#worker.terminate(), patienceMs);
    await this.#exited;
    clearTimeout(late);
  }

  async #waitFor<T>(waits: Map<number, Waiting<T>>, id: number, order: (orders: ThreadOrders) => void): Promise<T> {
    if (!this.#isAlive) throw new ThreadEnded();
    return await new Promise((resolve, reject) => {
      waits.set(id, { resolve, reject });
      this.#order(order);
    });
  }

  #order(fill: (orders: ThreadOrders) => void): void {
    if (this.#isAlive) fill(this.#ordersOfTurn());
  }

  #ordersOfTurn(): ThreadOrders {
    if (this.#orders) return this.#orders;
    queueMicrotask(() => {
      this.#worker.postMessage(this.#orders);
      this.#orders = null;
    });
    return (this.#orders = noOrders());
  }

  #take({ opened, reports, ended, fetched, rendered }: ThreadResults): void {
    for (const one of opened) settle(this.#opens, one.connection, one);
    for (const one of rendered) settle(this.#renders, one.order, one);
    for (const { number, message } of fetched) settle(this.#fetches, number, message);
    readReports(reports, (index, report, signs) => this.#report(index, report, signs));
    for (const id of ended) this.#endConnection(id);
  }

  #report(index: number, report: AttemptReport, signs: WireSigns): void {
    const attempt = this.#attempts[index];
    if (!attempt) return;
    this.#attempts[index] = null;
    this.#freeIndexes.push(index);
    // A message that may be attempted again stays in the thread.
    if (attempt.handle && !signs.again) this.#release(attempt.handle);
    attempt.connection.usable = signs.usable && attempt.connection.usable;
    attempt.onReport(report, signs);
  }

  #release(handle: RenderedHandle): boolean {
    if (!handle.isHeld) return false;
    handle.isHeld = false;
    this.held -= 1;
    this.heldOctets -= handle.octets;
    return true;
  }

  #endConnection(id: number): void {
    const connection = this.#connections.get(id);
    if (!connection) return;
    connection.usable = false;
    connection.onEnd();
  }

  /**
   * The thread is gone: messages whose dot was written may be at the relay, and no data of the others was complete.
   */
  #die(): void {
    this.#isAlive = false;
    this.held = this.heldOctets = 0;
    for (const waits of [this.#opens, this.#renders, this.#fetches]) {
      for (const { reject } of waits.values()) reject(new ThreadEnded());
      waits.clear();
    }
    for (const connection of this.#connections.values()) connection.usable = false;
    this.#attempts.forEach((attempt, index) => {
      if (!attempt) return;
      this.#attempts[index] = null;
      const [report, signs] = notBegun;
      const reason = 'the render thread ended after the message was written';
      const isWritten = Atomics.load(this.#dots, index) === 1;
      attempt.onReport(isWritten ? { kind: 'lost', dotWritten: true, reason } : report, signs);
    });
    for (const connection of [...this.#connections.values()]) connection.onEnd();
    this.#connections.clear();
  }
}

const notBegun: [AttemptReport, WireSigns] = [
  { kind: 'withheld', reason: 'the render thread ended before the message was written' },
  { usable: false, again: false, unwelcome: false, misread: false, used: 'none', wireMs: 0 },
];

function settle<T>(waits: Map<number, Waiting<T>>, id: number, value: T): void {
  const waiting = waits.get(id);
  waits.delete(id);
  waiting?.resolve(value);
}

/** What the main thread knows of one open connection of a sending thread. */
export class SendConnection {
  usable = true;
  /** Messages that are attempted on it or have a place on it. */
  places = 0;
  /** When it was last released, by the process's clock; for closing idle connections. */
  idleSince = 0;
  /** What takes its place when the relay has ended it; null if none could be opened. */
  replacement: Promise<SendConnection | null> | null = null;
  onEnd: () => void = () => undefined;

  constructor(
    readonly thread: SendThread,
    readonly id: number,
    readonly address: RelayAddress,
    readonly offersPipelining: boolean,
  ) {}

  attempt(message: Sendable, terms: AttemptTerms, onReport: OnReport): void {
    this.thread.attempt(this, message, terms, onReport);
  }

  quit(): void {
    this.usable = false;
    this.thread.close(this, true);
  }

  close(): void {
    this.usable = false;
    this.thread.close(this, false);
  }
}
