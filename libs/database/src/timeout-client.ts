import type { Socket } from 'node:net';
import pg from 'pg';

/** Longer than the server allows a statement (30 s): a server silent for this long is gone. */
const idleTimeoutMs = 35_000;
const raised = /^set local statement_timeout = '(\d+)min'$/;
const transactionEnds = /^(commit|rollback)$/i;

/**
 * A client that does not wait for a server that is gone without a word (a machine that died, a network that swallows):
 * the system would give up after a quarter of an hour only, and all calls wait for such connections meanwhile.
 */
export class TimeoutClient extends pg.Client {
  readonly #idleTimeoutMs: number;
  #timeoutMs: number;
  #watched: Socket | null = null;

  /** @param config `idleTimeoutMs`: how long an answer may take; shorter in tests only */
  constructor(config: pg.ClientConfig & { idleTimeoutMs?: number }) {
    super(config);
    this.#timeoutMs = this.#idleTimeoutMs = config.idleTimeoutMs ?? idleTimeoutMs;
    this.on('drain', () => this.#watched?.setTimeout(0));
  }

  override query(...question: unknown[]): never {
    const { text = question[0] } = question[0] as { text?: unknown };
    if (typeof text === 'string') this.#adapt(text);
    this.#watch();
    this.#gather();
    return (super.query as (...question: unknown[]) => unknown).apply(this, question) as never;
  }

  /** A transaction that says how long its statements may take is given that time. */
  #adapt(text: string): void {
    const minutes = raised.exec(text)?.[1];
    if (minutes !== undefined) this.#timeoutMs = Number(minutes) * 60_000 + this.#idleTimeoutMs;
    else if (transactionEnds.test(text)) this.#timeoutMs = this.#idleTimeoutMs;
  }

  /** What is asked in one turn, such as the begin of a transaction with its first statement, is one write. */
  #gather(): void {
    const socket = this.connection.stream as Socket;
    socket.cork();
    process.nextTick(() => socket.uncork());
  }

  #watch(): void {
    const socket = this.connection.stream as Socket;
    if (socket !== this.#watched) {
      this.#watched = socket;
      socket.on('timeout', () => socket.destroy(new Error('Connection terminated: the server does not answer')));
    }
    socket.setTimeout(this.#timeoutMs);
  }
}
