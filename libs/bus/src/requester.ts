import { createInbox, TimeoutError } from '@nats-io/transport-node';
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { WriteBatch } from './write-batch.js';

interface Pending {
  resolve(reply: Msg | null): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
  givesUpSoon: boolean;
}

export interface RequestOptions {
  timeoutMs: number;
  headers: MsgHdrs;
  /** Whether the reply is awaited only shortly after a reconnect, which may have lost it. */
  givesUpSoon: boolean;
}

/** Thrown when the reply was lost with a connection, or the request was. */
export class ReplyLost extends Error {}

/** How long such a reply may take after a reconnect. */
const lateReplyMs = 2_000;

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

  constructor(private readonly connection: NatsConnection) {
    connection.subscribe(`${this.#inbox}.*`, { callback: (error, message) => this.#hear(error, message) });
    void this.#watch();
    void connection.closed().then(() => this.#failAll(new Error('The connection to NATS was closed.')));
  }

  /**
   * @returns the reply; null when no process takes the request
   * @throws TimeoutError without a reply within `timeoutMs`; ReplyLost if it gives up soon after a reconnect
   */
  request(subject: string, body: string, { timeoutMs, headers, givesUpSoon }: RequestOptions): Promise<Msg | null> {
    return new Promise((resolve, reject) => {
      const token = (this.#requests += 1).toString(36);
      const timer = setTimeout(() => this.#take(token)?.reject(new TimeoutError()), timeoutMs);
      this.#pending.set(token, { resolve, reject, timer, givesUpSoon });
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
    const pending = this.#take(message.subject.slice(this.#inbox.length + 1));
    pending?.resolve(message.data.length === 0 && message.headers?.code === noResponders ? null : message);
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
