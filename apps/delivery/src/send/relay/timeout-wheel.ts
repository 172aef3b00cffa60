/** A client whose waits may end by time. */
export interface Timed {
  /** @param nowMs by `performance.now()` of this thread */
  tick(nowMs: number): void;
}

const tickMs = 100;

/** One timer for all connections of a thread: setting and clearing a timeout costs nothing but an assignment. */
export class TimeoutWheel {
  readonly #clients = new Set<Timed>();
  #timer: NodeJS.Timeout | null = null;

  add(client: Timed): void {
    this.#clients.add(client);
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
  }

  delete(client: Timed): void {
    if (!this.#clients.delete(client) || this.#clients.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    const nowMs = performance.now();
    for (const client of this.#clients) client.tick(nowMs);
  }
}
