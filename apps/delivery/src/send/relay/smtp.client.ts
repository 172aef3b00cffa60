import type { Socket } from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { AttemptReport } from '../../message/attempt-report.js';
import type { SmtpMessage } from '../../message/message.js';
import type { Pipelining } from './pipelining.js';
import type { RelayAddress } from './relay-address.js';
import { ReplyReader } from './reply-reader.js';
import {
  codeOf,
  dataOf,
  endsSession,
  envelopeOf,
  envelopeStages,
  isAccepted,
  isBadSequence,
  isTurningAway,
  refusalOf,
  refusedByUs,
} from './smtp-commands.js';
import type { Offers } from './smtp-commands.js';
import { TimeoutWheel } from './timeout-wheel.js';
import type { Timed } from './timeout-wheel.js';
import { monotonicMs } from './wire-protocol.js';
import type { SmtpTimeouts, WireSigns } from './wire-protocol.js';

/** Up to this size a message and its dot go out in one write; a larger one as the socket takes it. */
const pieceBytes = 64 * 1024;
const quitTimeoutMs = 1_000;
/**
 * After this number of ticks behind another message, one is better off on another connection. Ticks, not milliseconds,
 * since a thread without a processor has not read the replies that are there.
 */
const behindTicks = 4;

export interface SmtpClientOptions {
  timeouts: SmtpTimeouts;
  /** Whether to request notifications of deliveries, and not of bounces alone (RFC 3461). */
  receipts: boolean;
  /** How many commands may share a write; the relay's own offer permitting. */
  pipelining?: () => Pipelining;
  /** Ticks of the timer that a message waits behind another one without a reply. */
  behindTicks?: number;
  /** Called when the connection ends by itself. */
  onEnd?: () => void;
}

export interface WireAttempt {
  message: SmtpMessage;
  /** No data is begun after it, by `monotonicMs`. */
  before: number;
  /** Called before the dot is written: from then on the relay may have the message. */
  onDot(): void;
  onReport(report: AttemptReport, signs: WireSigns): void;
}

/** Whether a connection could not be opened because the relay refused it, by a reply or by closing it. */
export const isTurnedAway = (error: Error): boolean => {
  const { responseCode, code } = (error.cause ?? error) as { responseCode?: number; code?: string };
  return responseCode !== undefined || code === 'ECONNECTION';
};

/**
 * What the next reply answers. `begin`: the relay wants the data, which is written when all that arrived is read. `data`:
 * a large message is being written. `dot`: all of it is. `lone dot` and `reset` end a refused transaction.
 */
type Phase = 'idle' | 'envelope' | 'begin' | 'data' | 'dot' | 'lone dot' | 'reset';

const wheel = new TimeoutWheel();

/**
 * One connection to a relay, opened by nodemailer (addresses, TLS, authentication). The conversation about messages is
 * driven by the replies, without a promise or a timer for a message. With PIPELINING a message takes one or two round
 * trips (RFC 2920); replies are counted, and one too many ends the connection. Nothing is ever sent twice: each outcome
 * is reported once, and the caller decides what follows.
 */
export class SmtpClient implements Timed {
  readonly #connection: SMTPConnection;
  readonly #reader = new ReplyReader();
  #opening: ((reason: Error) => void) | null = null;
  #offers: Offers = { extensions: [], sizeMax: 0 };
  #socket: Socket | null = null;
  #usable = false;
  #ended: Error | null = null;
  #hasCarried = false;
  #fellSilent = false;

  #phase: Phase = 'idle';
  #current: WireAttempt | null = null;
  readonly #waiting: WireAttempt[] = [];
  /** Whether the commands of the first waiting message are written; `withdrawn`: its attempt was given up since. */
  #ahead: 'none' | 'written' | 'withdrawn' = 'none';
  #commands: readonly string[] = [];
  #stage = 0;
  #used: Pipelining = 'none';
  #refusal: AttemptReport | null = null;
  #heard = 0;
  #dotWritten = false;
  #startedAt = 0;
  /** Since the current message began. */
  #ticks = 0;
  #dueAt = Infinity;

  constructor(
    readonly address: RelayAddress,
    private readonly options: SmtpClientOptions,
  ) {
    const { timeouts } = options;
    this.#connection = new SMTPConnection({
      host: address.host,
      port: address.port,
      secure: address.secure,
      ignoreTLS: address.startTls === 'off',
      requireTLS: address.startTls === 'required',
      tls: { rejectUnauthorized: address.startTls !== 'unverified' },
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.greetingMs,
      socketTimeout: timeouts.greetingMs + timeouts.commandMs,
      socketCloseTimeout: 0,
    });
    this.#connection.on('error', (error: Error) => this.#end(error.message, error));
    this.#connection.on('end', () => this.#end('Connection closed'));
  }

  get usable(): boolean {
    return this.#usable;
  }

  get offersPipelining(): boolean {
    return this.#offers.extensions.includes('PIPELINING');
  }

  /** Connects, greets, encrypts and authenticates. @throws Error in words for an operator */
  async connect(): Promise<void> {
    await this.#asked((done) => this.#connection.connect(done));
    const { auth } = this.address;
    if (auth) await this.#asked((done) => this.#connection.login({ user: auth.user, pass: auth.pass }, done));
    this.#takeOver(this.#connection._socket as Socket);
  }

  /** One step of opening; a connection that ends meanwhile is a failure of the step. */
  async #asked(step: (done: (error?: Error | null) => void) => void): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#opening = reject;
      step((error) => (error ? reject(error) : resolve()));
    }).finally(() => (this.#opening = null));
  }

  #takeOver(socket: Socket): void {
    if (this.#ended) throw this.#ended;
    const { _supportedExtensions: extensions, _maxAllowedSize: sizeMax } = this.#connection as unknown as {
      _supportedExtensions: string[];
      _maxAllowedSize: number;
    };
    this.#offers = { extensions, sizeMax };
    socket.setTimeout(0);
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => this.#hear(chunk));
    this.#socket = socket;
    this.#usable = true;
    wheel.add(this);
  }

  /** Attempts a message now, or after those that were given before it. Errors are part of the report. */
  attempt(attempt: WireAttempt): void {
    this.#waiting.push(attempt);
    if (!this.#current) this.#advance();
  }

  quit(): void {
    if (this.#usable) this.#say('QUIT\r\n');
    this.#usable = false;
    setTimeout(() => this.close(), quitTimeoutMs).unref();
  }

  close(): void {
    this.#end('Connection closed');
  }

  tick(nowMs: number): void {
    if (nowMs >= this.#dueAt) return this.#fallSilent();
    this.#ticks += 1;
    const { behindTicks: most = behindTicks } = this.options;
    if (this.#waiting.length > 0 && this.#ticks > most) this.#withdrawWaiting();
  }

  #fallSilent(): void {
    const { commandMs, dataMs } = this.options.timeouts;
    const isDot = this.#phase === 'dot' || this.#phase === 'data';
    this.#fellSilent = true;
    const [what, ms] = isDot ? ['the final dot', dataMs] : ['a command', commandMs];
    this.#end(`The relay did not answer ${what} within ${ms / 1000} s`);
  }

  #withdrawWaiting(): void {
    // Its commands cannot be taken back: the connection ends when the relay wants the data.
    if (this.#ahead === 'written') this.#ahead = 'withdrawn';
    const reason = 'the connection was busy with another message';
    for (const attempt of this.#waiting.splice(0)) {
      attempt.onReport({ kind: 'withheld', reason }, { ...this.#signs(), again: true });
    }
  }

  /** Begins the next message, or reports those that the connection cannot take any more. */
  #advance(): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const isWritten = this.#ahead === 'written';
      this.#ahead = 'none';
      this.#heard = 0;
      this.#dotWritten = false;
      if (!this.#usable) {
        const reason = 'Connection closed before the message';
        const report: AttemptReport = { kind: 'lost', dotWritten: false, reason };
        next.onReport(report, { ...this.#signs(), again: this.#isWornOut(report) });
        continue;
      }
      const refusal = isWritten ? null : refusedByUs(next.message, this.#offers);
      if (!refusal) return this.#begin(next, isWritten);
      next.onReport(refusal, this.#signs());
    }
  }

  #begin(attempt: WireAttempt, isWritten: boolean): void {
    this.#current = attempt;
    this.#phase = 'envelope';
    this.#stage = 0;
    this.#refusal = null;
    this.#ticks = 0;
    this.#startedAt = performance.now();
    this.#dueAt = this.#startedAt + this.options.timeouts.commandMs;
    if (isWritten) return;
    this.#used = this.#pipelining === 'none' ? 'none' : 'group';
    this.#commands = envelopeOf(attempt.message, this.#offers, this.options.receipts);
    this.#say(`${this.#used === 'none' ? this.#commands[0] : this.#commands.join('\r\n')}\r\n`);
  }

  get #pipelining(): Pipelining {
    return this.offersPipelining ? (this.options.pipelining?.() ?? 'ahead') : 'none';
  }

  #hear(chunk: Buffer): void {
    const replies = this.#reader.read(chunk);
    if (!replies) return this.#end('The relay answered what is no SMTP reply');
    for (const reply of replies) {
      if (this.#ended) return;
      this.#heard += 1;
      // RFC 5321 3.8: with 421 the server closes, regardless of the command.
      if (codeOf(reply) === 421) this.#usable = false;
      this.#take(reply);
    }
    if (this.#phase === 'begin') this.#writeData();
  }

  #take(reply: string): void {
    const code = codeOf(reply);
    switch (this.#phase) {
      case 'envelope':
        return this.#takeEnvelope(code, reply);
      case 'dot': {
        const isTaken = isAccepted(code, 'END_OF_DATA');
        this.#hasCarried ||= isTaken;
        const report: AttemptReport = { kind: 'replied', code, response: reply };
        return this.#finish(isTaken ? report : refusalOf(code, reply, 'END_OF_DATA'), reply);
      }
      case 'lone dot':
        return this.#finish(this.#refusal, reply);
      case 'reset':
        if (code !== 250) this.#usable = false;
        return this.#finish(this.#refusal, reply);
      case 'data':
      case 'begin':
        return this.#end('The relay spoke in the middle of the data');
      case 'idle':
        if (this.#usable || code === 421) this.#end(`The relay spoke out of turn: ${reply.slice(0, 200)}`);
    }
  }

  #takeEnvelope(code: number, reply: string): void {
    const stage = envelopeStages[this.#stage]!;
    if (isAccepted(code, stage)) {
      if (stage === 'DATA') return this.#takeGoAhead();
    } else {
      const refusal = refusalOf(code, reply, stage);
      if (!refusal) return this.#end(`The relay answered out of turn: ${reply.slice(0, 200)}`);
      this.#refusal ??= refusal;
      if (this.#used === 'none' || !this.#usable) return this.#reset();
    }
    this.#stage += 1;
    if (this.#stage === envelopeStages.length) return this.#reset();
    if (this.#used === 'none') this.#say(`${this.#commands[this.#stage]}\r\n`);
  }

  #takeGoAhead(): void {
    if (!this.#refusal) return void (this.#phase = 'begin');
    // The relay wants data for no recipient: an empty message ends that (RFC 2920 3.1).
    this.#phase = 'lone dot';
    this.#say('.\r\n');
  }

  /** A refusal leaves the relay in the middle of a transaction (RFC 5321 4.1.1.5). */
  #reset(): void {
    if (!this.#usable) return this.#finish(this.#refusal, '');
    this.#phase = 'reset';
    this.#say('RSET\r\n');
  }

  #writeData(): void {
    const { message, before, onDot } = this.#current!;
    // The mark may be another process's by now. An empty message must not go out, so the transaction stays open.
    if (before < monotonicMs()) {
      const report = { kind: 'withheld', reason: 'the message was held too long before its data' } as const;
      this.#usable = false;
      this.#finish(report, '');
      return this.close();
    }
    const { body, end } = dataOf(message.raw);
    this.#dueAt = performance.now() + this.options.timeouts.dataMs;
    if (body.length > pieceBytes) return this.#writePieces(body, end, 0);
    this.#markDot(onDot);
    this.#socket!.write(body + end + this.#writeAhead(), 'latin1');
  }

  #markDot(onDot: () => void): void {
    this.#phase = 'dot';
    this.#dotWritten = true;
    onDot();
  }

  #writePieces(body: string, end: string, from: number): void {
    const socket = this.#socket!;
    this.#phase = 'data';
    for (let at = from; at < body.length; at += pieceBytes) {
      if (socket.write(body.slice(at, at + pieceBytes), 'latin1')) continue;
      return void socket.once('drain', () => {
        if (!this.#ended) this.#writePieces(body, end, at + pieceBytes);
      });
    }
    this.#markDot(() => this.#current!.onDot());
    socket.write(end, 'latin1');
  }

  /** Returns the commands of the next message, which may share the write of the dot (RFC 2920 3.1). */
  #writeAhead(): string {
    const [next] = this.#waiting;
    if (!next || this.#pipelining !== 'ahead' || refusedByUs(next.message, this.#offers)) return '';
    this.#ahead = 'written';
    this.#commands = envelopeOf(next.message, this.#offers, this.options.receipts);
    return `${this.#commands.join('\r\n')}\r\n`;
  }

  /** @param report null for a reply that fits no command */
  #finish(report: AttemptReport | null, reply: string): void {
    if (!report) return this.#end(`The relay answered out of turn: ${reply.slice(0, 200)}`);
    const isWithdrawn = this.#ahead === 'withdrawn';
    if (isWithdrawn) this.#usable = false;
    this.#report(report);
    if (isWithdrawn) return this.close();
    this.#used = this.#ahead === 'written' ? 'ahead' : 'group';
    this.#advance();
  }

  #report(report: AttemptReport): void {
    const current = this.#current!;
    const signs = this.#signs();
    signs.again = this.#isWornOut(report);
    signs.unwelcome = !this.#hasCarried && isTurningAway(report);
    signs.misread = this.#isMisread(report);
    if (signs.misread && this.#ahead === 'written') signs.used = 'ahead';
    this.#current = null;
    this.#phase = 'idle';
    this.#dueAt = Infinity;
    current.onReport(report, signs);
  }

  #signs(): WireSigns {
    const wireMs = performance.now() - this.#startedAt;
    return { usable: this.#usable, again: false, unwelcome: false, misread: false, used: this.#used, wireMs };
  }

  /**
   * Whether the relay ended the connection before it looked at its last message, as after some messages (421 to MAIL
   * FROM) or a while. False for a connection that never carried one.
   */
  #isWornOut(report: AttemptReport): boolean {
    if (this.#fellSilent || !this.#hasCarried) return false;
    if (report.kind === 'lost') return this.#heard === 0 && !report.dotWritten;
    return endsSession(report);
  }

  /** Whether the relay lost or misread commands that shared a write. */
  #isMisread(report: AttemptReport): boolean {
    if (this.#used === 'none' && this.#ahead !== 'written') return false;
    if (report.kind === 'replied') return isBadSequence(report);
    if (report.kind !== 'lost') return false;
    if (this.#phase === 'dot') return this.#ahead === 'written';
    const isCut = this.#heard > 0 || (this.#fellSilent && this.#used === 'ahead');
    return this.#phase === 'envelope' && !this.#refusal && isCut;
  }

  #say(text: string): void {
    this.#socket!.write(text, 'latin1');
  }

  #end(reason: string, cause?: Error): void {
    this.#usable = false;
    if (this.#ended) return;
    this.#ended = new Error(reason, { cause });
    wheel.delete(this);
    this.#opening?.(this.#ended);
    if (this.#current) {
      const isRefused = this.#phase === 'lone dot' || this.#phase === 'reset';
      this.#report(isRefused ? this.#refusal! : { kind: 'lost', dotWritten: this.#dotWritten, reason });
    }
    this.#releaseWaiting();
    this.#connection.close();
    this.options.onEnd?.();
  }

  /** Messages behind the one that the connection ended with: none of their data was written. */
  #releaseWaiting(): void {
    const reason = 'Connection closed before the message';
    for (const attempt of this.#waiting.splice(0)) {
      attempt.onReport({ kind: 'lost', dotWritten: false, reason }, { ...this.#signs(), again: true });
    }
  }
}
