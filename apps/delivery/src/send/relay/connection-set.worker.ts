import type { Pipelining } from './pipelining.js';
import type { SendConnection, SendThread } from './send-thread.worker.js';

/** The open connections to relays: those that are idle, and those that messages have places on. */
export class ConnectionSet {
  readonly #all = new Set<SendConnection>();
  readonly #idle: SendConnection[] = [];
  /** Connections that got a message in this turn of the event loop, and may get another one. */
  readonly #begun = new Map<SendThread, SendConnection>();

  get size(): number {
    return this.#all.size;
  }

  get idle(): number {
    return this.#idle.length;
  }

  /** Adds an open connection; messages may get places on it, or it is released. */
  admit(connection: SendConnection): void {
    this.#all.add(connection);
    connection.onEnd = () => {
      if (connection.places === 0) this.#discard(connection);
    };
  }

  /**
   * Gives a message a place on a connection.
   * @param thread whose connections may be used; without it those of all
   * @param depth how many messages, one after the other, may get places on one connection in the same turn
   * @param mayBegin whether an idle connection may be used
   */
  take(thread: SendThread | undefined, depth: number, mayBegin = true): SendConnection | null {
    const begun = thread && this.#begun.get(thread);
    if (begun && begun.usable && begun.offersPipelining && begun.places < depth) {
      begun.places += 1;
      return begun;
    }
    if (!mayBegin) return null;
    for (let place = this.#idle.length - 1; place >= 0; place--) {
      const connection = this.#idle[place]!;
      if (!connection.usable) this.#discard(connection);
      else if (!thread || connection.thread === thread) {
        this.#idle.splice(place, 1);
        connection.places = 1;
        this.#begin(connection);
        return connection;
      }
    }
    return null;
  }

  /** Takes a message's place back. @param isWanted whether the connection may carry more messages */
  give(connection: SendConnection, isWanted: boolean, nowMs: number): void {
    connection.places -= 1;
    this.release(connection, isWanted, nowMs);
  }

  /** Makes a connection idle if no message has a place on it, or closes it. */
  release(connection: SendConnection, isWanted: boolean, nowMs: number): void {
    if (!isWanted) connection.usable = false;
    if (connection.places > 0) return;
    if (!connection.usable) return this.#discard(connection);
    connection.idleSince = nowMs;
    this.#idle.push(connection);
  }

  /** Moves a message's place to another connection of the set. */
  move(from: SendConnection, to: SendConnection): void {
    const place = this.#idle.indexOf(to);
    if (place >= 0) this.#idle.splice(place, 1);
    to.places += 1;
    from.places -= 1;
    if (from.places > 0) return;
    this.#all.delete(from);
    from.quit();
  }

  /** Quits idle connections. @param unusedSinceMs only those that were not used since then */
  quitIdle(unusedSinceMs = Infinity): void {
    const kept: SendConnection[] = [];
    for (const connection of this.#idle.splice(0)) {
      if (connection.usable && connection.idleSince > unusedSinceMs) {
        kept.push(connection);
        continue;
      }
      this.#all.delete(connection);
      connection.quit();
    }
    this.#idle.push(...kept);
  }

  setPipelining(pipelining: Pipelining): void {
    const byThread = new Map<SendThread, SendConnection[]>();
    for (const connection of this.#all) {
      const others = byThread.get(connection.thread);
      if (others) others.push(connection);
      else byThread.set(connection.thread, [connection]);
    }
    for (const [thread, connections] of byThread) thread.setPipelining(connections, pipelining);
  }

  #begin(connection: SendConnection): void {
    if (this.#begun.size === 0) queueMicrotask(() => this.#begun.clear());
    this.#begun.set(connection.thread, connection);
  }

  #discard(connection: SendConnection): void {
    this.#all.delete(connection);
    const place = this.#idle.indexOf(connection);
    if (place >= 0) this.#idle.splice(place, 1);
    connection.close();
  }
}
