import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { SessionJournal } from './session-journal.js';
import type { SessionEvent } from './session-journal.js';
import { SinkSession } from './sink-session.js';

/** Where a session can go wrong. DATA: instead of asking for the message; BODY: in the middle of it; DOT: after it. */
export type Stage = 'GREETING' | 'MAIL' | 'RCPT' | 'DATA' | 'BODY' | 'DOT';

/** What the sink does instead of going on. `refuse` with 421 also closes; `hang` may have taken the message. */
export type Trouble = { do: 'refuse'; reply: string } | { do: 'drop' } | { do: 'hang'; taken: boolean };
export type MakeTrouble = (stage: Stage) => Trouble | null;

/**
 * The run's own relay and its only judge: a throttled SMTP server that has each event of a session on the disk before
 * its answer can be read, and that can be told to misbehave at any stage.
 */
export class FaultSink {
  readonly #server: Server;
  readonly #sessions = new Set<SinkSession>();
  #nextSlot = 0;
  #sessionCount = 0;
  #slotCount = 0;
  /** The least that a message takes, so that connections are busy even where the client is slower than the throttle. */
  latencyMs = 0;
  /** Messages taken so far; the journal is what counts. */
  accepted = 0;
  trouble: MakeTrouble = () => null;
  /** Called with each message taken. */
  onTaken: (to: string, raw: string) => void = () => undefined;

  private constructor(
    private readonly journal: SessionJournal,
    /** Messages a second, all connections together. */
    public rate: number,
  ) {
    this.#server = createServer((socket) => {
      const session = new SinkSession(socket, this, ++this.#sessionCount);
      this.#sessions.add(session);
      void session.run().finally(() => this.#sessions.delete(session));
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

  /**
   * Takes the next place in the throttle. Some messages wait before their data, some after the dot and some in both
   * places, so that a strike meets hand-overs in every state.
   * @returns milliseconds to wait
   */
  slot(): { beforeData: number; afterDot: number } {
    const now = Date.now();
    this.#nextSlot = Math.max(this.#nextSlot, now) + 1000 / this.rate;
    const wait = Math.max(this.latencyMs, this.#nextSlot - now);
    const share = this.#slotCount++ % 3;
    return { beforeData: (wait * share) / 2, afterDot: (wait * (2 - share)) / 2 };
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.journal.close();
  }
}
