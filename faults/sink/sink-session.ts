import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionEvent, SessionEventName } from './session-journal.js';

/** Where a session can go wrong. DATA: instead of asking for the message; BODY: in the middle of it; DOT: after it. */
export type Stage = 'GREETING' | 'MAIL' | 'RCPT' | 'DATA' | 'BODY' | 'DOT';

/** What the sink does instead of going on. `refuse` with 421 also closes; `hang` may have taken the message. */
export type Trouble = { do: 'refuse'; reply: string } | { do: 'drop' } | { do: 'hang'; taken: boolean };
export type MakeTrouble = (stage: Stage) => Trouble | null;

/** What a session asks of the sink it belongs to. */
export interface SessionHost {
  readonly trouble: MakeTrouble;
  /** Whether PIPELINING is offered (RFC 2920). */
  readonly pipelines: boolean;
  /** Whether the attempt mark of a message is committed, by its return path. */
  readonly isMarked: (from: string) => Promise<boolean>;
  /** Called with each message taken. */
  readonly onTaken: (to: string, raw: string) => void;
  /** Takes the next place in the throttle. @returns milliseconds to wait */
  slot(): { beforeData: number; afterDot: number };
  /** @returns when the event is on the disk */
  note(event: SessionEvent): Promise<void>;
}

/** `over`: this session says nothing more. */
type Passed = 'on' | 'refused' | 'over';

/** One connection of a client, from the greeting to its end (RFC 5321). */
export class SinkSession {
  #input = '';
  #wake: () => void = () => undefined;
  #closed = false;
  #sender = false;
  #returnPath = '';
  #to: string | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly sink: SessionHost,
    private readonly number: number,
  ) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#input += text;
      this.#wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  destroy(): void {
    this.socket.destroy();
  }

  async run(): Promise<void> {
    await this.#note('OPENED');
    if ((await this.#pass('GREETING', '220 sink.internal ESMTP')) !== 'over') await this.#converse();
    while (!this.#closed) await this.#heard();
    await this.#note('CLOSED');
  }

  async #converse(): Promise<void> {
    for (let line = await this.#upTo('\r\n'); line !== null; line = await this.#upTo('\r\n')) {
      if ((await this.#obey(line)) === 'over') return;
    }
  }

  async #obey(line: string): Promise<Passed> {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return this.#say(
          `250-sink.internal\r\n${this.sink.pipelines ? '250-PIPELINING\r\n' : ''}250-8BITMIME\r\n250 SMTPUTF8`,
        );
      case 'MAIL':
        void this.#note('MAIL', line);
        this.#returnPath = /<(.*?)>/.exec(line)?.[1] ?? '';
        return await this.#from();
      case 'RCPT':
        return await this.#recipient(line);
      case 'DATA':
        return this.#to === null ? this.#say('503 5.5.1 No recipient') : await this.#message();
      case 'QUIT':
        this.#say('221 2.0.0 Bye');
        this.socket.end();
        return 'over';
      case 'RSET':
        this.#forget();
    }
    return this.#say('250 2.0.0 Ok');
  }

  async #from(): Promise<Passed> {
    this.#forget();
    const passed = await this.#pass('MAIL', '250 2.1.0 Ok');
    this.#sender = passed === 'on';
    return passed;
  }

  async #recipient(line: string): Promise<Passed> {
    if (!this.#sender) return this.#say('503 5.5.1 No sender');
    this.#to = /<(.*)>/.exec(line)?.[1] ?? '';
    void this.#note('RCPT');
    const passed = await this.#pass('RCPT', '250 2.1.5 Ok');
    if (passed === 'refused') this.#to = null;
    return passed;
  }

  async #message(): Promise<Passed> {
    const { beforeData, afterDot } = this.sink.slot();
    void this.#note('DATA');
    if (!(await this.sink.isMarked(this.#returnPath))) void this.#note('UNMARKED', this.#returnPath);
    await pause(beforeData);
    const asked = await this.#pass('DATA', '354 Go on');
    if (asked !== 'on') return asked;
    while (this.#input === '' && !this.#closed) await this.#heard();
    if ((await this.#pass('BODY')) === 'over') return 'over';
    const raw = await this.#upTo('\r\n.\r\n');
    if (raw === null) return 'over';
    void this.#note('DOT');
    const passed = await this.#pass('DOT');
    if (passed === 'on') {
      await this.#note('TAKEN');
      this.sink.onTaken(this.#to!, raw);
      await pause(afterDot);
      this.#say('250 2.0.0 Ok: queued');
    }
    this.#forget();
    return passed;
  }

  #forget(): void {
    this.#sender = false;
    this.#to = null;
  }

  /** Goes past a stage with this reply, unless there is to be trouble. */
  async #pass(stage: Stage, reply?: string): Promise<Passed> {
    const trouble = this.#closed ? null : this.sink.trouble(stage);
    switch (trouble?.do) {
      case undefined:
        return reply === undefined ? 'on' : this.#say(reply);
      case 'refuse':
        await this.#note('REFUSED', trouble.reply);
        this.#say(trouble.reply);
        if (!trouble.reply.startsWith('421')) return 'refused';
        this.socket.end();
        return 'over';
      case 'drop':
        await this.#note('DROPPED', stage);
        this.destroy();
        return 'over';
      case 'hang':
        if (trouble.taken) await this.#note('TAKEN');
        await this.#note('HUNG');
        return 'over';
    }
  }

  #note(name: SessionEventName, detail = ''): Promise<void> {
    return this.sink.note({ at: Date.now(), session: this.number, name, to: this.#to, detail });
  }

  #say(reply: string): Passed {
    if (this.socket.writable) this.socket.write(`${reply}\r\n`);
    return 'on';
  }

  /** Waits for more input, or for the end. */
  #heard(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** The input up to a mark, which is taken off. @returns null when the client went away before */
  async #upTo(mark: string): Promise<string | null> {
    for (;;) {
      const end = this.#input.indexOf(mark);
      if (end >= 0) {
        const text = this.#input.slice(0, end);
        this.#input = this.#input.slice(end + mark.length);
        return text;
      }
      if (this.#closed) return null;
      await this.#heard();
    }
  }
}
