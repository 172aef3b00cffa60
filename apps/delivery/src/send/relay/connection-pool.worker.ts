import { traced } from '#observability';
import type { Logger } from '#observability';
import type { SendMetrics } from '../../metrics/send-metrics.service.js';
import { relayVerdict } from '../../message/attempt-report.js';
import type { AttemptReport } from '../../message/attempt-report.js';
import { asRelayWants, signsFor } from '../../message/relay-signature.js';
import type { RelayDkim } from '../../message/relay-signature.js';
import type { DestinationRepository } from './destination.repository.js';
import type { RelayAddress } from './relay-address.js';
import { ConnectionLimit } from './connection-limit.js';
import { ConnectionSet } from './connection-set.worker.js';
import { TokenBucket } from './token-bucket.js';
import type { RelayState } from '../../metrics/backlog.service.js';
import { observeRelay, wellRelay } from './relay-health.js';
import { lanes } from '../../message/send-queue.js';
import type { SendQueue } from '../../message/send-queue.js';
import { receiverOf, DestinationThrottle } from './destination-throttle.js';
import { PipeliningMemory } from './pipelining.js';
import { isRendered, NotOpened, ThreadEnded } from './send-thread.worker.js';
import type { RenderedHandle, Sendable, SendConnection, SendThread } from './send-thread.worker.js';
import type { SendThreads } from './send-threads.worker.js';
import type { AttemptTerms, SmtpTimeouts, WireSigns } from './wire-protocol.js';

export interface ConnectionSlot {
  client: SendConnection;
  lane: SendQueue;
  receiver: string;
  /** Whether the relay refused the connection at the slot's message. */
  isUnwelcome: boolean;
  /** The period of the relay's health it began in: a failure after that period says nothing about the current one. */
  spell: number;
}

export interface RelayOptions {
  address: RelayAddress;
  fallback?: RelayAddress | null;
  /** Who signs the mail of each; without it we do. */
  dkim?: { first: RelayDkim; fallback: RelayDkim };
  /** Messages a second of this process; null for no limit. */
  perSecond?: number | null;
  /** Most connections held at one time; the relay may allow fewer. */
  connections: number;
  /** How many messages may be marked for each connection. */
  window?: number;
  /** Messages that may be in progress to one domain; null for no limit. */
  perDomain?: number | null;
  timeouts: SmtpTimeouts;
  receipts?: boolean;
  threads: SendThreads;
  destinations: DestinationRepository;
  meter: SendMetrics;
  log: Logger;
}

/** Servers close connections that are idle for 30 s and more; closing first avoids using a half-closed one. */
const idleMaxMs = 15_000;
const sweepEveryMs = 5_000;
/** A connection that failed while the relay counts as well is replaced after a breath. */
const yieldMs = 100;
/**
 * Connections opened at one time: this many at first, then as many as are open, since a relay that allows few soon
 * shows it.
 */
const openedAtOnce = 4;
/** How often a message is attempted on another connection when the relay did not look at it on one. */
const againMax = 2;
/**
 * Messages of a group share connections while the relay takes them within milliseconds: as many as it takes in this
 * time, and at most four, since the next commands share a write with a dot.
 */
const sharedMs = 8;
const sharedMax = 4;
/** A message behind another one is given up after 400 ms: with a relay this slow, none waits behind another. */
const slowMs = 100;
/** Each reply lets the fastest one count for less, so that a relay that slows down is noticed. */
const fadingFactor = 1.05;
/** Milliseconds for which the fallback is used before the first relay is tried again. */
const fallbackMs = 60_000;

/** Connections that chunks may not use: a tenth, at least two, but never all. */
export const reservedConnections = (connections: number): number =>
  Math.min(connections - 1, Math.max(2, Math.ceil(connections / 10)));

/** How many messages each send queue may be ahead of the token bucket, so that the more urgent one need not wait. */
const aheadOfPace: Record<SendQueue, number> = { single: 3, workflow: 2, retry: 1, campaign: 0 };

const noneOfAny = (): Record<SendQueue, number> => ({ single: 0, workflow: 0, retry: 0, campaign: 0 });

/** An attempt, which may take more than one connection. */
interface RelayAttempt extends AttemptTerms {
  message: Sendable;
  tries: number;
  done: (report: AttemptReport) => void;
}

const anyTime: AttemptTerms = { before: Infinity, journal: null };

const threadEnded: AttemptReport = {
  kind: 'withheld',
  reason: 'the render thread ended before the message was written',
};

/**
 * Lends connections: a caller requests one and is notified when another request may succeed. An unavailable relay is
 * tried by one connection at a time. The connections themselves live in the sending threads.
 */
export class Relay {
  readonly #connections = new ConnectionSet();
  readonly #pipelining = new PipeliningMemory();
  #fastestMs = Infinity;
  readonly #busy = noneOfAny();
  /** Attempted messages whose mark is still open: a crash would leave them in doubt like those on the wire. */
  readonly #unrecorded = noneOfAny();
  readonly #listeners = new Set<() => void>();
  readonly #sweep: NodeJS.Timeout;
  #limit: ConnectionLimit;
  #opening = 0;
  #health = wellRelay;
  #spell = 0;
  #retryAt = 0;
  #stopped = false;
  readonly #pace: TokenBucket;
  /** The send queues to notify when the token bucket admits them. */
  readonly #paced = new Set<SendQueue>();
  /** Until when the fallback is used; null while the first relay is. */
  #fallbackUntil: number | null = null;
  #noted: Promise<void> = Promise.resolve();

  readonly receivers: DestinationThrottle;

  constructor(private readonly options: RelayOptions) {
    this.receivers = new DestinationThrottle(options.perDomain ?? null);
    this.#pace = new TokenBucket(options.perSecond ?? null, performance.now());
    this.#limit = new ConnectionLimit(options.connections);
    this.#sweep = setInterval(() => {
      this.#connections.quitIdle(performance.now() - idleMaxMs);
      if (this.#fallbackUntil !== null && performance.now() >= this.#fallbackUntil) this.#use(null);
    }, sweepEveryMs).unref();
    this.#useThreads();
  }

  /** @returns a function that ends the calls */
  onFree(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get state(): RelayState {
    return {
      relay: nameOf(this.#address),
      isFallback: this.#usesFallback,
      isInTrouble: this.#health.trouble !== null,
      leftAlone: this.receivers.leftAlone(performance.now()),
      connections: { ...this.#busy, opening: this.#opening, idle: this.#connections.idle },
    };
  }

  /** The relay in use, as attempt marks name it: 1 the first, 2 the fallback. */
  get id(): 1 | 2 {
    return this.#usesFallback ? 2 : 1;
  }

  /**
   * Whether messages for the relay in use get our signature. A connection that `take` returns leads to that relay, and
   * its message stays on that relay, also when another one is in use at the attempt.
   */
  get signs(): boolean {
    const { first, fallback } = this.options.dkim ?? { first: 'ours', fallback: 'ours' };
    return signsFor(this.#usesFallback ? fallback : first);
  }

  /** How many messages of a queue may be marked at one time, together with those of the queues after it. */
  quota(lane: SendQueue): number {
    return this.#window * this.#held(lane);
  }

  /**
   * Whether a request for a connection can succeed now: no more messages are marked than the window allows.
   * @param recording results that the caller records in the statement of the next marks
   */
  mayTake(lane: SendQueue, recording = 0): boolean {
    if (this.#stopped || this.#marked(lane) - recording >= this.quota(lane)) return false;
    if (this.#marked('single') - recording >= this.quota('single') || !this.#inPace(lane)) return false;
    return this.#health.trouble === null || (this.#inHand() === 0 && performance.now() >= this.#retryAt);
  }

  /**
   * Returns a ready connection for a message to an address, or null; then one is being opened if there may be one more.
   * @param thread that holds the rendered message; null is returned too if only others have a ready connection
   */
  take(lane: SendQueue, to: string, recording = 0, thread?: SendThread): ConnectionSlot | null {
    if (!this.mayTake(lane, recording)) return null;
    const client = this.#connections.take(thread, this.#depthOf(lane), this.#mayBegin(lane));
    if (client) {
      this.#busy[lane] += 1;
      this.#pace.take();
      const receiver = receiverOf(to);
      this.receivers.begin(receiver);
      return { client, lane, receiver, isUnwelcome: false, spell: this.#spell };
    }
    const { size, idle } = this.#connections;
    const isNeeded = idle === 0 || thread?.connections === 0;
    const atOnce = Math.max(openedAtOnce, size);
    if (isNeeded && size + this.#opening < this.#held('single') && this.#opening < atOnce) void this.#openIdle();
    return null;
  }

  /** Attempts a message in a span of its own. Errors are part of the report. */
  async attempt(turn: ConnectionSlot, message: Sendable): Promise<AttemptReport> {
    const { host, port } = turn.client.address;
    const attributes = { 'server.address': host, 'server.port': port };
    const parent = isRendered(message) ? undefined : message.traceparent;
    return await traced('SMTP hand over', { kind: 'client', parent, attributes }, async (span) => {
      const report = await new Promise<AttemptReport>((resolve) => this.begin(turn, message, resolve));
      span.set(report.kind === 'replied' ? { 'smtp.reply.code': report.code } : { 'error.type': report.kind });
      return report;
    });
  }

  /**
   * Attempts a message without a promise or a span.
   * @param done gets the report, once
   */
  begin(
    turn: ConnectionSlot,
    message: Sendable,
    done: (report: AttemptReport) => void,
    terms: AttemptTerms = anyTime,
  ): void {
    const startedAt = performance.now();
    const ended = (report: AttemptReport) => {
      const seconds = (performance.now() - startedAt) / 1000;
      this.options.meter.attempted(nameOf(turn.client.address), message.to, { report, seconds });
      const isInTrouble = this.#health.trouble !== null;
      done(report.kind === 'replied' && isInTrouble ? { ...report, relayInTrouble: true } : report);
    };
    this.#converse(turn, { message, ...terms, tries: 0, done: ended });
  }

  #converse(turn: ConnectionSlot, attempt: RelayAttempt): void {
    const { message } = attempt;
    if (isRendered(message) && message.thread !== turn.client.thread) return void this.#carryOver(turn, attempt);
    turn.client.attempt(message, attempt, (report, signs) => this.#reported(turn, attempt, { report, signs }));
  }

  /** Takes a message to the thread of its connection, which no thread had for it. */
  async #carryOver(turn: ConnectionSlot, attempt: RelayAttempt): Promise<void> {
    const handle = attempt.message as RenderedHandle;
    const text = await handle.thread.fetch(handle).catch(() => null);
    handle.thread.drop(handle);
    if (!text) return attempt.done(threadEnded);
    const raw = asRelayWants(text.raw, handle.isSigned && handle.withSignature)!;
    this.#converse(turn, { ...attempt, message: { ...text, raw } });
  }

  #reported(
    turn: ConnectionSlot,
    attempt: RelayAttempt,
    { report, signs }: { report: AttemptReport; signs: WireSigns },
  ): void {
    this.#learn(nameOf(turn.client.address), report, signs);
    const mayRepeat = attempt.tries < againMax && !this.#stopped && turn.client.address === this.#address;
    if (signs.again && mayRepeat) return void this.#again(turn, attempt, report);
    turn.isUnwelcome = signs.unwelcome;
    this.#endAttempt(attempt, report);
  }

  #endAttempt({ message, done }: RelayAttempt, report: AttemptReport): void {
    if (isRendered(message)) message.thread.drop(message);
    done(report);
  }

  /** Attempts a message on another connection, since the relay did not look at it on the first one. */
  async #again(turn: ConnectionSlot, attempt: RelayAttempt, report: AttemptReport): Promise<void> {
    const worn = turn.client;
    const fresh = await (report.kind === 'withheld' ? this.#another(worn) : (worn.replacement ??= this.#replace(worn)));
    if (!fresh?.usable) return this.#endAttempt(attempt, report);
    this.#connections.move(worn, fresh);
    turn.client = fresh;
    this.#converse(turn, { ...attempt, tries: attempt.tries + 1 });
  }

  /** Opens a connection in place of one that the relay has ended; null if it does not open. */
  async #replace(worn: SendConnection): Promise<SendConnection | null> {
    worn.usable = false;
    return await this.#open(worn.thread).catch(() => null);
  }

  /** Returns a connection beside one that is busy for long; null if there may be no more. */
  async #another(busy: SendConnection): Promise<SendConnection | null> {
    const idle = this.#connections.take(busy.thread, 1);
    if (idle) {
      // The place moves here.
      idle.places = 0;
      return idle;
    }
    if (this.#connections.size + this.#opening >= this.#held('single')) return null;
    return await this.#open(busy.thread).catch(() => null);
  }

  /** Learns from an attempt how much pipelining works, and how fast the relay is. */
  #learn(relay: string, report: AttemptReport, { misread, used, wireMs }: WireSigns): void {
    if (misread) {
      if (!this.#pipelining.failed(relay, used, performance.now())) return;
      const pipelining = this.#pipelining.of(relay);
      this.#connections.setPipelining(pipelining);
      this.options.log.warn({ relay, pipelining }, 'relay offers pipelining and loses commands');
    } else if (report.kind === 'replied' && report.code < 300) {
      this.#pipelining.worked(relay, used);
      this.#fastestMs = Math.min(wireMs, this.#fastestMs * fadingFactor);
    }
  }

  /** How many messages of a group may share a connection. */
  #depthOf(lane: SendQueue): number {
    if (lane !== 'campaign' || this.#pipelining.of(nameOf(this.#address)) !== 'ahead') return 1;
    const behind = this.#fastestMs < slowMs ? this.#window : 1;
    return Math.max(behind, Math.min(sharedMax, Math.floor(sharedMs / this.#fastestMs)));
  }

  get #window(): number {
    return this.options.window ?? 1;
  }

  /** How many connections a queue may hold at one time, together with the queues after it. */
  #held(lane: SendQueue): number {
    const connections = this.#limit.at(performance.now());
    if (lane === 'single') return connections;
    const reserved = reservedConnections(connections);
    return connections - (lane === 'campaign' ? reserved : Math.floor(reserved / 2));
  }

  /** With a window of one, marks alone keep connections free for more urgent mail. */
  #mayBegin(lane: SendQueue): boolean {
    return this.#window === 1 || this.#connections.size - this.#connections.idle < this.#held(lane);
  }

  /** Releases a connection. @param report of its message, to be recorded; null if it was not used */
  give({ client, lane, receiver, isUnwelcome, spell }: ConnectionSlot, report: AttemptReport | null): void {
    this.#busy[lane] -= 1;
    if (this.receivers.end(receiver, report, performance.now())) {
      this.options.log.warn({ receiver, reason: report && textOf(report) }, 'destination backed off');
    }
    if (report) this.#unrecorded[lane] += 1;
    else this.#pace.giveBack();
    const isWanted = !isUnwelcome && !this.#stopped && client.address === this.#address;
    this.#connections.give(client, isWanted, performance.now());
    // A thread that ended says nothing of the relay.
    const sign = report && client.thread.isAlive ? relayVerdict(report) : null;
    if (isUnwelcome && report) this.#notOpened(textOf(report), { turnedAway: true, spell });
    else if (report && sign) this.#observe(sign, report.kind === 'lost' ? report.reason : textOf(report), spell);
    this.#notify();
  }

  /** Counts results as recorded, or given up: other messages may be marked in their places. */
  recorded(lane: SendQueue, results: number): void {
    if (results === 0) return;
    this.#unrecorded[lane] -= results;
    this.#notify();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#sweep);
    this.#connections.quitIdle();
    await this.#noted;
  }

  #inPace(lane: SendQueue): boolean {
    const wait = this.#pace.wait(performance.now(), aheadOfPace[lane]);
    if (wait === 0) return true;
    if (!this.#paced.has(lane)) {
      this.#paced.add(lane);
      setTimeout(() => {
        this.#paced.delete(lane);
        this.#notify();
      }, wait).unref();
    }
    return false;
  }

  get #address(): RelayAddress {
    const { address, fallback } = this.options;
    return this.#usesFallback ? fallback! : address;
  }

  get #usesFallback(): boolean {
    return this.#fallbackUntil !== null;
  }

  #use(fallbackUntil: number | null): void {
    this.#fallbackUntil = fallbackUntil;
    this.#spell += 1;
    this.#health = wellRelay;
    this.#limit = new ConnectionLimit(this.options.connections);
    this.#retryAt = 0;
    this.#fastestMs = Infinity;
    this.#connections.quitIdle();
    this.#useThreads();
    this.#note((destinations) => destinations.delete('relay'));
    setTimeout(() => this.#notify(), yieldMs).unref();
  }

  #marked(first: SendQueue): number {
    let marked = 0;
    for (let place = lanes.length - 1; place >= 0; place--) {
      const lane = lanes[place]!;
      marked += this.#busy[lane] + this.#unrecorded[lane];
      if (lane === first) break;
    }
    return marked;
  }

  #inHand(): number {
    return lanes.reduce((sum, lane) => sum + this.#busy[lane], this.#opening);
  }

  #useThreads(): void {
    this.options.threads.use({ signs: this.signs, connections: this.#limit.at(performance.now()) });
  }

  /** @returns an open connection that is in the set. @throws NotOpened, or ThreadEnded */
  async #open(thread: SendThread): Promise<SendConnection> {
    const address = this.#address;
    const { timeouts, receipts = false } = this.options;
    const pipelining = this.#pipelining.of(nameOf(address));
    const connection = await thread.open(address, { timeouts, receipts, pipelining });
    this.#connections.admit(connection);
    return connection;
  }

  async #openIdle(): Promise<void> {
    const spell = this.#spell;
    this.#opening += 1;
    try {
      const connection = await this.#open(this.options.threads.leastConnected());
      this.#opening -= 1;
      const isWanted = !this.#stopped && connection.address === this.#address;
      this.#connections.release(connection, isWanted, performance.now());
      if (isWanted) {
        this.#limit.opened(this.#connections.size, performance.now());
        this.#useThreads();
      }
      this.#notify();
    } catch (error) {
      this.#opening -= 1;
      // A thread that ended says nothing of the relay.
      if (!(error instanceof ThreadEnded)) {
        const turnedAway = error instanceof NotOpened && error.isTurnedAway;
        this.#notOpened((error as Error).message, { turnedAway, spell });
      }
      setTimeout(() => this.#notify(), yieldMs).unref();
    }
  }

  /** A relay that refuses a connection while others work is healthy, and allows no more. */
  #notOpened(reason: string, { turnedAway, spell }: { turnedAway: boolean; spell: number }): void {
    const held = this.#connections.size;
    // A result of an earlier period says nothing about this one, which may be another relay's.
    const isWell = spell === this.#spell && held > 0 && this.#health.trouble === null && turnedAway;
    if (!isWell) return this.#observe('ill', reason, spell);
    const isNews = this.#limit.refused(held, performance.now());
    this.#useThreads();
    if (!isNews) return;
    const facts = { relay: nameOf(this.#address), reason, connections: held };
    this.options.log.warn(facts, 'relay allows fewer connections');
  }

  #observe(sign: 'well' | 'busy' | 'ill', reason: string, spell: number): void {
    // Failures after stop() come from stopping, and no caller waits for their note any more.
    if (this.#stopped || (sign !== 'well' && spell < this.#spell)) return;
    const wasInTrouble = this.#health.trouble !== null;
    const { health, wait } = observeRelay(this.#health, sign, reason);
    this.#health = health;
    if (wait === 0) {
      if (wasInTrouble && !health.trouble) this.#recovered();
      return;
    }
    if (this.options.fallback && this.#fallbackUntil === null && !wasInTrouble) {
      this.options.log.warn({ reason }, 'relay unavailable; using the fallback');
      return this.#use(performance.now() + fallbackMs);
    }
    this.#spell += 1;
    this.#limit = new ConnectionLimit(this.options.connections);
    // Some refuse what comes by a connection that has carried too much; the next try is by a new one.
    this.#connections.quitIdle();
    this.#retryAt = performance.now() + wait * 1000;
    // A little later than asked: a timer may fire early, and nothing else would request a connection.
    setTimeout(() => this.#notify(), wait * 1000 + 20).unref();
    const relay = nameOf(this.#address);
    this.options.log.warn({ relay, reason, wait }, 'relay unavailable');
    this.#note((destinations) =>
      destinations.upsert('relay', {
        wait,
        failures: health.rounds,
        reason: `The mail relay ${relay} does not take mail (${reason}). It is tried again.`,
      }),
    );
  }

  #recovered(): void {
    this.options.log.info('relay available again');
    this.#note((destinations) => destinations.delete('relay'));
    this.#notify();
  }

  /**
   * Writes notes in order; a failed note is followed by the next, since errors of the database are reported elsewhere.
   */
  #note(write: (destinations: DestinationRepository) => Promise<void>): void {
    this.#noted = this.#noted.then(() => write(this.options.destinations)).catch(() => undefined);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const nameOf = ({ host, port }: RelayAddress): string => `${host}:${port}`;

const textOf = (report: AttemptReport): string => (report.kind === 'replied' ? report.response : report.kind);
