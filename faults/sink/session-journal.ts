import { open, readFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/**
 * What happened in a session. UNMARKED: DATA came before the attempt mark of the message was committed. TAKEN: from here
 * on the sink answers for the message. REFUSED: the detail is the reply.
 * HUNG: nothing more was said. DROPPED: the connection was cut at the stage the detail names.
 */
export type SessionEventName =
  | 'OPENED'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'UNMARKED'
  | 'DOT'
  | 'TAKEN'
  | 'REFUSED'
  | 'HUNG'
  | 'DROPPED'
  | 'CLOSED';

export interface SessionEvent {
  /** Milliseconds since the epoch. */
  at: number;
  session: number;
  name: SessionEventName;
  /** The recipient, once there is one. */
  to: string | null;
  detail: string;
}

/** The events of all sessions in a file, one a line. */
export class SessionJournal {
  #waiting: string[] = [];
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
  ) {}

  static async create(file: string): Promise<SessionJournal> {
    return new SessionJournal(file, await open(file, 'ax'));
  }

  /** Writes an event. @returns when it is on the disk; events that wait for it share the next sync */
  write(event: SessionEvent): Promise<void> {
    this.#waiting.push(`${JSON.stringify(event)}\n`);
    if (!this.#next) {
      this.#next = this.#running.then(() => this.#sync());
      this.#running = this.#next;
    }
    return this.#next;
  }

  /** Everything written so far, read back from the file. */
  async read(): Promise<SessionEvent[]> {
    await this.#running;
    const lines = (await readFile(this.file, 'utf8')).split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as SessionEvent);
  }

  async close(): Promise<void> {
    await this.#running;
    await this.handle.close();
  }

  async #sync(): Promise<void> {
    this.#next = null;
    await this.handle.write(this.#waiting.splice(0).join(''));
    await this.handle.datasync();
  }
}
