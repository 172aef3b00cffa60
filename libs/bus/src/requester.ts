import { createInbox, TimeoutError } from '@nats-io/transport-node';
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { WriteBatch } from './write-batch.js';

interface Pending {
  resolve(reply: Msg | null): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
  givesUpSoon: boolean;
  /** Whether a process has sent the notice. */
  isNoticed: boolean;
}

export interface RequestOptions {
  timeoutMs: number;
  headers: MsgHdrs;
  /** Whether the request fails with ReplyLost 2 s after a reconnect, and after 4 s without a reply or a notice. */
  givesUpSoon: boolean;
}

/** Thrown when the reply was lost with a connection, or the request was. */
export class ReplyLost extends Error {}

/** How long such a reply may take after a reconnect. */
const lateReplyMs = 2_000;

/** Header of a request: asks the process for a notice when its reply takes longer than `noticeMs`. */
export const noticeHeader = 'notice';
/** Status of the notice (102 Processing, RFC 2518, section 10.1). */
export const processing = 102;
/** Milliseconds from a call's arrival to its notice. */
export const noticeMs = 1_000;
/** Milliseconds without a reply or a notice after which a request counts as lost: a busy process may be 3 s late. */
const silenceMs = 4_000;

/** The status by which a server replies when no subscription takes a request. */
const noResponders = 503;

/**
 * Requests over one connection, whose replies come by one subscription. The client's own requests build an error with
 * its stack for each reply, which cost a gateway a twentieth of its processor time.
 */
export class Requester {
  readonly #inbox = createInbox();
  readonly #pending = new Map<string, Pending>();
  readonly #batch = new WriteBatch();
  #requests = 0;

  /** @param silenceMaxMs how long a request that gives up soon waits for a notice or its reply */
  constructor(
    private readonly connection: NatsConnection,
    private readonly silenceMaxMs = silenceMs,
  ) {
    connection.subscribe(`${this.#inbox}.*`, { callback: (error, message) => this.#hear(error, message) });
    void this.#watch();
    void connection.closed().then(() => this.#failAll(new Error('The connection to NATS was closed.')));
  }

  /**
   * @returns the reply; null when no process takes the request
   * @throws TimeoutError without a reply within `timeoutMs`; ReplyLost if it gave up sooner
   */
  request(subject: string, body: string, { timeoutMs, headers, givesUpSoon }: RequestOptions): Promise<Msg | null> {
    if (givesUpSoon) headers.set(noticeHeader, '1');
    return new Promise((resolve, reject) => {
      const token = (this.#requests += 1).toString(36);
      const isPatient = !givesUpSoon || timeoutMs <= this.silenceMaxMs;
      const timer = isPatient
        ? this.#timeOut(token, timeoutMs)
        : setTimeout(() => this.#expectNotice(token, timeoutMs - this.silenceMaxMs), this.silenceMaxMs);
      this.#pending.set(token, { resolve, reject, timer, givesUpSoon, isNoticed: false });
      const reply = `${this.#inbox}.${token}`;
      this.#batch
        .add(() => this.connection.publish(subject, body, { reply, headers }))
        .catch((error: Error) => this.#take(token)?.reject(error));
    });
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type !== 'reconnect') continue;
      const lost = [...this.#pending].filter(([, { givesUpSoon }]) => givesUpSoon).map(([token]) => token);
      if (lost.length > 0)
        setTimeout(() => lost.forEach((token) => this.#take(token)?.reject(new ReplyLost())), lateReplyMs).unref();
    }
  }

  #hear(error: Error | null, message: Msg): void {
    // Only the permission for the subject of the replies can fail, which concerns all of them.
    if (error) return this.#failAll(error);
    const token = message.subject.slice(this.#inbox.length + 1);
    const status = message.data.length === 0 ? message.headers?.code : undefined;
    const pending = this.#pending.get(token);
    if (status === processing && pending) pending.isNoticed = true;
    else this.#take(token)?.resolve(status === noResponders ? null : message);
  }

  #expectNotice(token: string, leftMs: number): void {
    // In a process that was busy for that long, what arrived is read after the timers.
    setImmediate(() => {
      const pending = this.#pending.get(token);
      if (pending?.isNoticed) pending.timer = this.#timeOut(token, leftMs);
      else this.#take(token)?.reject(new ReplyLost());
    });
  }

  #timeOut(token: string, afterMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#take(token)?.reject(new TimeoutError()), afterMs);
  }

  #take(token: string): Pending | undefined {
    const pending = this.#pending.get(token);
    this.#pending.delete(token);
    clearTimeout(pending?.timer);
    return pending;
  }

  #failAll(error: Error): void {
    for (const token of [...this.#pending.keys()]) this.#take(token)?.reject(error);
  }
}
