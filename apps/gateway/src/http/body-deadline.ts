import type { IncomingMessage } from 'node:http';

/** Time within which a whole body must arrive: 5 MB over a slow line. */
const bodyMs = 60_000;

export interface UploadRate {
  /** The least bytes a second, as a mean of each window. */
  bytesPerSecond: number;
  windowMs: number;
  totalMs: number;
}

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Ends the connection of a request whose body has not arrived in time, with 408 (RFC 9110 section 15.5.9). */
export function limitBody(request: IncomingMessage, ms = bodyMs): void {
  clearTimeout(timers.get(request));
  const timer = setTimeout(() => endBody(request), ms).unref();
  timers.set(request, timer);
  request.once('close', () => clearTimeout(timer));
}

/** Limits a body of any size by its rate; time in which the reader works does not count. */
export class UploadDeadline {
  #bytes = 0;
  #busyMs = 0;
  #busySince: number | null = null;
  #windows = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly rate: UploadRate,
  ) {
    clearTimeout(timers.get(request));
    const timer = setInterval(() => this.#check(timer), rate.windowMs).unref();
    timers.set(request, timer);
    request.once('close', () => clearInterval(timer));
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Runs work during which the reader takes no bytes. */
  async pause<T>(work: () => Promise<T>): Promise<T> {
    this.#busySince = performance.now();
    try {
      return await work();
    } finally {
      this.#settle();
      this.#busySince = null;
    }
  }

  #settle(): void {
    if (this.#busySince === null) return;
    const now = performance.now();
    this.#busyMs += now - this.#busySince;
    this.#busySince = now;
  }

  #check(timer: NodeJS.Timeout): void {
    const { bytesPerSecond, windowMs, totalMs } = this.rate;
    this.#settle();
    this.#windows += 1;
    const waitedMs = Math.max(0, windowMs - this.#busyMs);
    const isSlow = this.#bytes < (bytesPerSecond * waitedMs) / 1000;
    [this.#bytes, this.#busyMs] = [0, 0];
    if (!isSlow && this.#windows * windowMs < totalMs) return;
    clearInterval(timer);
    endBody(this.request);
  }
}

/** Ends a connection as the server does by its own limits; its listener sends the response. */
function endBody(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const error = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const { server } = socket as unknown as { server: { emit(event: string, ...args: unknown[]): void } };
  server.emit('clientError', error, socket);
}
