import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { SessionJournal } from './session-journal.js';
import type { SessionEvent } from './session-journal.js';
import { SinkSession } from './sink-session.js';
import type { MakeTrouble, SessionHost } from './sink-session.js';

/**
 * The run's own relay and the only evidence of its mail: a throttled SMTP server that can misbehave at any stage. Each
 * event of a session is on the disk before its answer can be read.
 */
export class FaultSink implements SessionHost {
  readonly #server: Server;
  readonly #sessions = new Map<SinkSession, Promise<void>>();
  #nextSlot = 0;
  #sessionCount = 0;
  #slotCount = 0;
  /** The least that a message takes, so that connections are busy even where the client is slower than the throttle. */
  latencyMs = 0;
  /** Messages taken so far; the journal is what counts. */
  accepted = 0;
  trouble: MakeTrouble = () => null;
  pipelines = true;
  onTaken: (to: string, raw: string) => void = () => undefined;
  isMarked: (from: string) => Promise<boolean> = () => Promise.resolve(true);

  private constructor(
    private readonly journal: SessionJournal,
    /** Messages a second, all connections together. */
    public rate: number,
  ) {
    this.#server = createServer((socket) => {
      const session = new SinkSession(socket, this, ++this.#sessionCount);
      const ended = session.run().finally(() => this.#sessions.delete(session));
      this.#sessions.set(session, ended);
    });
  }

  /** @param file the journal; must not exist yet */
  static async start(file: string, rate: number): Promise<FaultSink> {
    const sink = new FaultSink(await SessionJournal.create(file), rate);
    await new Promise<void>((resolve) => sink.#server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#sessions.size;
  }

  /** All events since the start, from the disk. */
  events(): Promise<SessionEvent[]> {
    return this.journal.read();
  }

  note(event: SessionEvent): Promise<void> {
    if (event.name === 'TAKEN') this.accepted += 1;
    return this.journal.write(event);
  }

  /** Some wait before their data, some after the dot and some in both places, so that a strike meets all states. */
  slot(): { beforeData: number; afterDot: number } {
    const now = Date.now();
    this.#nextSlot = Math.max(this.#nextSlot, now) + 1000 / this.rate;
    const wait = Math.max(this.latencyMs, this.#nextSlot - now);
    const share = this.#slotCount++ % 3;
    return { beforeData: (wait * share) / 2, afterDot: (wait * (2 - share)) / 2 };
  }

  /** Closes every connection, so that the next ones see what the sink offers now. */
  disconnect(): void {
    for (const session of this.#sessions.keys()) session.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.disconnect();
    await Promise.all([closed, ...this.#sessions.values()]);
    await this.journal.close();
  }
}
