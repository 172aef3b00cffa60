import type { Logger } from '#observability';
import type { SendMetrics } from '../../metrics/send-metrics.service.js';
import { relayVerdict } from '../../message/attempt-report.js';
import type { AttemptReport } from '../../message/attempt-report.js';
import type { SmtpMessage } from '../../message/message.js';
import { signsFor } from '../../message/relay-signature.js';
import type { RelayDkim } from '../../message/relay-signature.js';
import type { DestinationRepository } from './destination.repository.js';
import type { RelayAddress } from './relay-address.js';
import { ConnectionLimit } from './connection-limit.js';
import { TokenBucket } from './token-bucket.js';
import type { RelayState } from '../../metrics/backlog.service.js';
import { observeRelay, wellRelay } from './relay-health.js';
import { lanes } from '../../message/send-queue.js';
import type { SendQueue } from '../../message/send-queue.js';
import { isTurnedAway, SmtpClient } from './smtp.client.js';
import { receiverOf, DestinationThrottle } from './destination-throttle.js';
import type { SmtpTimeouts } from './smtp.client.js';

export interface ConnectionSlot {
  client: SmtpClient;
  lane: SendQueue;
  receiver: string;
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
  /** Messages that may be in progress to one domain; null for no limit. */
  perDomain?: number | null;
  timeouts: SmtpTimeouts;
  receipts?: boolean;
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
/** Milliseconds for which the fallback is used before the first relay is tried again. */
const fallbackMs = 60_000;

/** Connections that chunks may not use: a tenth, at least two, but never all. */
export const reservedConnections = (connections: number): number =>
  Math.min(connections - 1, Math.max(2, Math.ceil(connections / 10)));

/** How many messages each send queue may be ahead of the token bucket, so that the more urgent one need not wait. */
const aheadOfPace: Record<SendQueue, number> = { single: 3, workflow: 2, retry: 1, campaign: 0 };

const noneOfAny = (): Record<SendQueue, number> => ({ single: 0, workflow: 0, retry: 0, campaign: 0 });

/**
 * Lends connections: a caller requests one and is notified when another request may succeed. An unavailable relay is
 * tried by one connection at a time.
 */
export class Relay {
  readonly #idle: SmtpClient[] = [];
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
    this.#pace = new TokenBucket(options.perSecond ?? null, Date.now());
    this.#limit = new ConnectionLimit(options.connections);
    this.#sweep = setInterval(() => {
      this.#closeIdle();
      if (this.#fallbackUntil !== null && Date.now() >= this.#fallbackUntil) this.#use(null);
    }, sweepEveryMs).unref();
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
      leftAlone: this.receivers.leftAlone(Date.now()),
      connections: { ...this.#busy, opening: this.#opening, idle: this.#idle.length },
    };
  }

  /**
   * Whether messages for the relay in use get our signature. A connection that `take` returns leads to that relay, and
   * its message stays on that relay, also when another one is in use at the attempt.
   */
  get signs(): boolean {
    const { first, fallback } = this.options.dkim ?? { first: 'ours', fallback: 'ours' };
    return signsFor(this.#usesFallback ? fallback : first);
  }

  /** How many connections a queue may use at one time, together with the queues after it. */
  quota(lane: SendQueue): number {
    const connections = this.#limit.at(Date.now());
    if (lane === 'single') return connections;
    const reserved = reservedConnections(connections);
    return connections - (lane === 'campaign' ? reserved : Math.floor(reserved / 2));
  }

  /**
   * Whether a request for a connection can succeed now: no more messages are marked than there are connections.
   * @param recording results that the caller records in the statement of the next marks
   */
  mayTake(lane: SendQueue, recording = 0): boolean {
    if (this.#stopped || this.#marked(lane) - recording >= this.quota(lane)) return false;
    if (this.#marked('single') - recording >= this.quota('single') || !this.#inPace(lane)) return false;
    return this.#health.trouble === null || (this.#inHand() === 0 && Date.now() >= this.#retryAt);
  }

  /**
   * Returns a ready connection for a message to an address, or null; then one is being opened if there may be one more.
   */
  take(lane: SendQueue, to: string, recording = 0): ConnectionSlot | null {
    if (!this.mayTake(lane, recording)) return null;
    for (let client = this.#idle.pop(); client; client = this.#idle.pop()) {
      if (!client.usable) {
        client.close();
        continue;
      }
      this.#busy[lane] += 1;
      this.#pace.take();
      const receiver = receiverOf(to);
      this.receivers.begin(receiver);
      return { client, lane, receiver, spell: this.#spell };
    }
    const inHand = this.#inHand();
    const atOnce = Math.max(openedAtOnce, inHand - this.#opening);
    if (inHand < this.quota('single') && this.#opening < atOnce) void this.#open();
    return null;
  }

  async attempt(turn: ConnectionSlot, smtpMessage: SmtpMessage): Promise<AttemptReport> {
    const started = performance.now();
    const report = await this.#converse(turn, smtpMessage);
    const seconds = (performance.now() - started) / 1000;
    this.options.meter.attempted(nameOf(turn.client.address), smtpMessage.to, { report, seconds });
    const isInTrouble = this.#health.trouble !== null;
    return report.kind === 'replied' && isInTrouble ? { ...report, relayInTrouble: true } : report;
  }

  /**
   * Uses the slot's connection, or a new one in its place if the relay had ended that one before it looked at the
   * message.
   */
  async #converse(turn: ConnectionSlot, smtpMessage: SmtpMessage): Promise<AttemptReport> {
    const worn = turn.client;
    const report = await worn.attempt(smtpMessage);
    if (!worn.isWornOut(report) || this.#stopped || worn.address !== this.#address) return report;
    worn.quit();
    const fresh = this.#newClient();
    try {
      await fresh.connect();
    } catch {
      fresh.close();
      return report;
    }
    turn.client = fresh;
    return await fresh.attempt(smtpMessage);
  }

  /** Releases a connection. @param report of its message, to be recorded; null if it was not used */
  give({ client, lane, receiver, spell }: ConnectionSlot, report: AttemptReport | null): void {
    this.#busy[lane] -= 1;
    if (this.receivers.end(receiver, report, Date.now())) {
      this.options.log.warn({ receiver, reason: report && textOf(report) }, 'destination backed off');
    }
    if (report) this.#unrecorded[lane] += 1;
    else this.#pace.giveBack();
    const isUnwelcome = report !== null && client.isUnwelcome(report);
    if (client.usable && !isUnwelcome && !this.#stopped && client.address === this.#address) {
      client.idleSince = Date.now();
      this.#idle.push(client);
    } else {
      client.close();
    }
    const sign = report && relayVerdict(report);
    if (isUnwelcome) this.#notOpened(textOf(report), { turnedAway: true, spell });
    else if (sign) this.#observe(sign, report.kind === 'lost' ? report.reason : textOf(report), spell);
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
    for (const client of this.#idle.splice(0)) client.quit();
    await this.#noted;
  }

  #inPace(lane: SendQueue): boolean {
    const wait = this.#pace.wait(Date.now(), aheadOfPace[lane]);
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
    for (const client of this.#idle.splice(0)) client.quit();
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

  #held(): number {
    return this.#inHand() - this.#opening + this.#idle.filter(({ usable }) => usable).length;
  }

  #newClient(): SmtpClient {
    const { timeouts, receipts = false } = this.options;
    return new SmtpClient(this.#address, { timeouts, receipts });
  }

  async #open(): Promise<void> {
    const spell = this.#spell;
    const client = this.#newClient();
    this.#opening += 1;
    try {
      await client.connect();
      client.idleSince = Date.now();
      this.#opening -= 1;
      if (this.#stopped || client.address !== this.#address) {
        client.quit();
        return this.#notify();
      }
      this.#idle.push(client);
      this.#limit.opened(this.#held(), Date.now());
      this.#notify();
    } catch (error) {
      client.close();
      this.#opening -= 1;
      this.#notOpened((error as Error).message, { turnedAway: isTurnedAway(error as Error), spell });
      setTimeout(() => this.#notify(), yieldMs).unref();
    }
  }

  /** A relay that refuses a connection while others work is healthy, and allows no more. */
  #notOpened(reason: string, { turnedAway, spell }: { turnedAway: boolean; spell: number }): void {
    const held = this.#held();
    // A result of an earlier period says nothing about this one, which may be another relay's.
    const isWell = spell === this.#spell && held > 0 && this.#health.trouble === null && turnedAway;
    if (!isWell) return this.#observe('ill', reason, spell);
    if (!this.#limit.refused(held, Date.now())) return;
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
      return this.#use(Date.now() + fallbackMs);
    }
    this.#spell += 1;
    this.#limit = new ConnectionLimit(this.options.connections);
    // Some refuse what comes by a connection that has carried too much; the next try is by a new one.
    for (const client of this.#idle.splice(0)) client.quit();
    this.#retryAt = Date.now() + wait * 1000;
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

  #closeIdle(): void {
    const until = Date.now() - idleMaxMs;
    const keep = this.#idle.filter((client) => {
      if (client.usable && client.idleSince > until) return true;
      client.quit();
      return false;
    });
    this.#idle.splice(0, this.#idle.length, ...keep);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const nameOf = ({ host, port }: RelayAddress): string => `${host}:${port}`;

const textOf = (report: AttemptReport): string => (report.kind === 'replied' ? report.response : report.kind);
