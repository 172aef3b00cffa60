import type { AttemptReport } from '../../message/attempt-report.js';
import type { SmtpMessage } from '../../message/message.js';
import { asRelayWants } from '../../message/relay-signature.js';
import { noteDot, noteReport } from '../journal/journal-lines.js';
import type { Pipelining } from './pipelining.js';
import { isTurnedAway, SmtpClient } from './smtp.client.js';
import type { ThreadOrders, ThreadResults } from './thread-protocol.js';
import { attemptStride, writeReport } from './wire-protocol.js';
import type { OpenOrder, TextAttempt, WireSigns } from './wire-protocol.js';

interface Hosted {
  client: SmtpClient;
  pipelining: Pipelining;
}

/** An attempt; `number` is that of the rendered message, null for a text that came with it. */
interface HostedAttempt extends TextAttempt {
  number: number | null;
}

/** Of an attempt whose connection ended before it began. */
const untouched: WireSigns = { usable: false, again: true, unwelcome: false, misread: false, used: 'none', wireMs: 0 };

/**
 * Holds the connections and the rendered messages of one sending thread: a message is sent by the thread that rendered
 * it, and its text never leaves that thread.
 */
export class ConnectionHost {
  readonly #connections = new Map<number, Hosted>();
  readonly #messages = new Map<number, SmtpMessage>();
  #inProgress = 0;

  /**
   * @param results returns where the next results go
   * @param dots of each attempt, whether its dot is written
   */
  constructor(
    private readonly results: () => ThreadResults,
    private readonly dots: Int32Array,
  ) {}

  /** Whether no attempt is in progress. */
  get isIdle(): boolean {
    return this.#inProgress === 0;
  }

  keep(number: number, message: SmtpMessage): void {
    this.#messages.set(number, message);
  }

  carryOut(orders: ThreadOrders): void {
    for (const order of orders.opens) void this.#open(order);
    this.#attemptAll(orders.attempts);
    for (const text of orders.texts) this.#attempt({ ...text, number: null });
    for (const number of orders.drops) this.#messages.delete(number);
    for (const number of orders.fetches) {
      this.results().fetched.push({ number, message: this.#messages.get(number) ?? null });
    }
    for (const connection of orders.quits) this.#forget(connection)?.quit();
    for (const connection of orders.closes) this.#forget(connection)?.close();
    for (const { connections, pipelining } of orders.pipelining) {
      for (const connection of connections) this.#setPipelining(connection, pipelining);
    }
  }

  quitAll(): void {
    for (const connection of [...this.#connections.keys()]) this.#forget(connection)!.quit();
  }

  async #open({ connection, address, timeouts, receipts, pipelining }: OpenOrder): Promise<void> {
    const hosted: Hosted = {
      pipelining,
      client: new SmtpClient(address, {
        timeouts,
        receipts,
        pipelining: () => hosted.pipelining,
        onEnd: () => {
          if (this.#connections.has(connection)) this.results().ended.push(connection);
        },
      }),
    };
    try {
      await hosted.client.connect();
      this.#connections.set(connection, hosted);
      const { offersPipelining } = hosted.client;
      this.results().opened.push({ connection, offersPipelining, failure: null });
    } catch (error) {
      hosted.client.close();
      const failure = { message: (error as Error).message, isTurnedAway: isTurnedAway(error as Error) };
      this.results().opened.push({ connection, offersPipelining: false, failure });
    }
  }

  #forget(connection: number): SmtpClient | undefined {
    const hosted = this.#connections.get(connection);
    this.#connections.delete(connection);
    return hosted?.client;
  }

  #setPipelining(connection: number, pipelining: Pipelining): void {
    const hosted = this.#connections.get(connection);
    if (hosted) hosted.pipelining = pipelining;
  }

  #attemptAll(attempts: readonly number[]): void {
    for (let at = 0; at < attempts.length; at += attemptStride) {
      const [connection, index, number, signs, before, file, position, relayId] = attempts.slice(
        at,
        at + attemptStride,
      ) as [...[number, number, number, number, number, number, number, number]];
      const message = this.#messages.get(number);
      if (!message) {
        const report = { kind: 'withheld', reason: 'the rendered message is gone' } as const;
        writeReport(this.results().reports, index, report, { ...untouched, usable: true, again: false });
        continue;
      }
      if (signs === 0) message.raw = asRelayWants(message.raw, false)!;
      const journal = file < 0 ? null : { file, position, relayId };
      this.#attempt({ connection, index, message, before, journal, number });
    }
  }

  #attempt({ connection, index, message, before, journal, number }: HostedAttempt): void {
    this.#inProgress += 1;
    const onReport = (report: AttemptReport, signs: WireSigns) => {
      this.#inProgress -= 1;
      if (journal) noteReport(journal, report);
      // The main thread may want it attempted again on another connection.
      if (number !== null && !signs.again) this.#messages.delete(number);
      writeReport(this.results().reports, index, report, signs);
    };
    const hosted = this.#connections.get(connection);
    if (hosted) {
      const onDot = () => {
        if (journal) noteDot(journal);
        Atomics.store(this.dots, index, 1);
      };
      return hosted.client.attempt({ message, before, onDot, onReport });
    }
    const reason = 'Connection closed before the message';
    onReport({ kind: 'lost', dotWritten: false, reason }, untouched);
  }
}
