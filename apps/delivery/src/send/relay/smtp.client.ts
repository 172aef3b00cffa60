import type { Socket } from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { traced } from '#observability';
import type { AttemptReport, SmtpStage } from '../../message/attempt-report.js';
import type { SmtpMessage } from '../../message/message.js';
import type { RelayAddress } from './relay-address.js';
import { ReplyReader } from './reply-reader.js';

/** Timeouts of the parts of a conversation, in milliseconds (RFC 5321 4.5.3.2). */
export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  /** Until the relay requests the data. */
  commandMs: number;
  /** From the first octet of the data to the reply after the final dot. */
  dataMs: number;
}

/** RFC 6531 3.7.4 and RFC 3463 3.8: this relay cannot carry the address. */
const noSmtpUtf8: AttemptReport = {
  kind: 'replied',
  code: 550,
  response: '550 5.6.7 The relay does not carry international addresses (SMTPUTF8)',
};
/** The relay announced its size limit (RFC 1870), so the message is not even offered. */
const tooLarge: AttemptReport = {
  kind: 'replied',
  code: 552,
  response: '552 5.3.4 The message is larger than the relay takes',
};

/** Up to this size a message and its dot go out in one write; a larger one as the socket takes it. */
const pieceBytes = 64 * 1024;
const dot = '.\r\n';
const quitTimeoutMs = 1_000;

export interface SmtpClientOptions {
  timeouts: SmtpTimeouts;
  /** Whether to request notifications of deliveries, and not of bounces alone (RFC 3461). */
  receipts: boolean;
}

/** The connection is gone or useless; what that means for a message depends on how far it was. */
class Lost extends Error {}

/** Whether a connection could not be opened because the relay refused it, by a reply or by closing it. */
export const isTurnedAway = (error: Error): boolean => {
  const { responseCode, code } = (error.cause ?? error) as { responseCode?: number; code?: string };
  return responseCode !== undefined || code === 'ECONNECTION';
};

/**
 * One connection to a relay, for one message at a time, opened by nodemailer (addresses, TLS, authentication). The
 * conversation about a message is implemented here, to record exactly whether the final dot was written; it needs a
 * third of the processor time. Nothing is ever sent twice: each outcome is reported once, and the caller decides what
 * follows.
 */
export class SmtpClient {
  readonly #connection: SMTPConnection;
  readonly #replies: string[] = [];
  readonly #reader = new ReplyReader();
  #waiting: { resolve: (reply: string) => void; reject: (lost: Lost) => void } | null = null;
  #socket: Socket | null = null;
  #usable = false;
  #ended: Lost | null = null;
  #hasCarried = false;
  #heard = 0;
  #fellSilent = false;
  /** When it was last released, by the process's clock; for closing idle connections. */
  idleSince = 0;

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

  /**
   * Whether the relay ended the connection before it looked at its last message, as after some messages (421 to MAIL
   * FROM) or a while. False for a connection that never carried one.
   */
  isWornOut(report: AttemptReport): boolean {
    if (this.#fellSilent || !this.#hasCarried) return false;
    if (report.kind === 'lost') return this.#heard === 0 && !report.dotWritten;
    if (report.kind !== 'replied' || report.stage !== 'MAIL') return false;
    return report.code === 421 || (report.code < 500 && sessionIsOver.test(report.response));
  }

  /** Whether the relay refused the connection at its first message: some greet every client and count then. */
  isUnwelcome(report: AttemptReport): boolean {
    return !this.#hasCarried && report.kind === 'replied' && report.stage === 'MAIL' && turningAway.has(report.code);
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
      this.#waiting = { resolve: () => undefined, reject };
      step((error) => (error ? reject(error) : resolve()));
    }).finally(() => (this.#waiting = null));
  }

  #takeOver(socket: Socket): void {
    if (this.#ended) throw this.#ended;
    socket.setTimeout(0);
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => this.#hear(chunk));
    this.#socket = socket;
    this.#usable = true;
  }

  /** Never rejects: errors are part of the report. */
  async attempt(smtpMessage: SmtpMessage): Promise<AttemptReport> {
    const attributes = { 'server.address': this.address.host, 'server.port': this.address.port };
    const facts = { kind: 'client' as const, parent: smtpMessage.traceparent, attributes };
    return await traced('SMTP hand over', facts, async (span) => {
      const said = await this.#converse(smtpMessage);
      span.set(said.kind === 'replied' ? { 'smtp.reply.code': said.code } : { 'error.type': said.kind });
      return said;
    });
  }

  async #converse(smtpMessage: SmtpMessage): Promise<AttemptReport> {
    this.#heard = 0;
    if (!this.#usable) return { kind: 'lost', dotWritten: false, reason: 'Connection closed before the message' };
    const { _supportedExtensions: offered, _maxAllowedSize: sizeMax } = this.#offers();
    if (smtpMessage.smtpUtf8 && !offered.includes('SMTPUTF8')) return noSmtpUtf8;
    if (sizeMax > 0 && smtpMessage.raw.length > sizeMax) return tooLarge;
    const progress = { dotWritten: false };
    try {
      if (this.#replies.length > 0) throw new Lost(`The relay spoke out of turn: ${this.#replies[0]!.slice(0, 200)}`);
      const refusal = await this.#within(this.options.timeouts.commandMs, 'a command', () =>
        this.#envelope(smtpMessage, offered),
      );
      if (refusal) return refusal;
      const body = () => this.#body(smtpMessage.raw, progress);
      return await this.#within(this.options.timeouts.dataMs, 'the final dot', body);
    } catch (error) {
      this.close();
      return { kind: 'lost', dotWritten: progress.dotWritten, reason: (error as Error).message };
    }
  }

  #offers() {
    return this.#connection as unknown as { _supportedExtensions: string[]; _maxAllowedSize: number };
  }

  /** Sends the envelope and DATA. @returns null when the relay waits for the data */
  async #envelope({ from, to, raw, smtpUtf8 }: SmtpMessage, offered: string[]): Promise<AttemptReport | null> {
    const size = offered.includes('SIZE') ? ` SIZE=${raw.length}` : '';
    const asks = this.options.receipts && offered.includes('DSN');
    const commands = [
      ['MAIL', `MAIL FROM:<${from}>${size}${smtpUtf8 ? ' SMTPUTF8' : ''}${asks ? ' RET=HDRS' : ''}`],
      ['RCPT', `RCPT TO:<${to}>${asks ? ' NOTIFY=SUCCESS,FAILURE,DELAY' : ''}`],
      ['DATA', 'DATA'],
    ] as const;
    const pipelined = offered.includes('PIPELINING');
    if (pipelined) this.#say(commands.map(([, command]) => command).join('\r\n'));
    let refusal: AttemptReport | null = null;
    for (const [stage, command] of commands) {
      if (!pipelined) this.#say(command);
      const reply = await this.#reply();
      const code = codeOf(reply);
      if (stage === 'DATA' ? code === 354 : code >= 200 && code < 300) {
        if (stage !== 'DATA' || !refusal) continue;
        // The relay wants data for no recipient: an empty message ends that (RFC 2920 3.1).
        this.#say('.');
        await this.#reply();
        return refusal;
      }
      refusal ??= refused(code, reply, stage);
      if (!pipelined || !this.#usable) break;
    }
    if (refusal) await this.#reset();
    return refusal;
  }

  /** A refusal leaves the relay in the middle of a transaction (RFC 5321 4.1.1.5). */
  async #reset(): Promise<void> {
    if (!this.#usable) return;
    this.#say('RSET');
    const reply = await this.#reply().catch(() => '');
    if (codeOf(reply) !== 250) this.close();
  }

  async #body(raw: string, progress: { dotWritten: boolean }): Promise<AttemptReport> {
    const socket = this.#socket!;
    const body = stuffed(raw);
    for (let at = 0; body.length > pieceBytes && at < body.length; at += pieceBytes) {
      if (!socket.write(body.slice(at, at + pieceBytes), 'latin1')) await this.#drained(socket);
    }
    if (this.#ended) throw this.#ended;
    progress.dotWritten = true;
    const end = body.endsWith('\r\n') ? dot : `\r\n${dot}`;
    socket.write(body.length <= pieceBytes ? body + end : end, 'latin1');
    const reply = await this.#reply();
    const code = codeOf(reply);
    if (code < 200 || code >= 300) return refused(code, reply, 'END_OF_DATA');
    this.#hasCarried = true;
    return { kind: 'replied', code, response: reply };
  }

  async #drained(socket: Socket): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiting = { resolve: () => reject(new Lost('The relay spoke in the middle of the data')), reject };
      socket.once('drain', resolve);
    }).finally(() => (this.#waiting = null));
  }

  async #within<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#fellSilent = true;
      this.#end(`The relay did not answer ${what} within ${ms / 1000} s`);
    }, ms);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  #say(command: string): void {
    this.#socket!.write(`${command}\r\n`);
  }

  async #reply(): Promise<string> {
    const ready = this.#replies.shift();
    if (ready !== undefined) return ready;
    if (this.#ended) throw this.#ended;
    return await new Promise<string>((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  #hear(chunk: Buffer): void {
    const replies = this.#reader.read(chunk);
    if (!replies) return this.#end('The relay answered what is no SMTP reply');
    for (const reply of replies) {
      this.#heard += 1;
      // RFC 5321 3.8: with 421 the server closes, regardless of the command.
      if (codeOf(reply) === 421) this.#usable = false;
      const { resolve } = this.#waiting ?? {};
      this.#waiting = null;
      if (resolve) resolve(reply);
      else this.#replies.push(reply);
    }
  }

  quit(): void {
    if (this.#usable) this.#say('QUIT');
    this.#usable = false;
    setTimeout(() => this.close(), quitTimeoutMs).unref();
  }

  close(): void {
    this.#usable = false;
    this.#connection.close();
  }

  #end(reason: string, cause?: Error): void {
    this.#usable = false;
    this.#ended ??= new Lost(reason, { cause });
    const { reject } = this.#waiting ?? {};
    this.#waiting = null;
    reject?.(this.#ended);
  }
}

/** What servers say of connections rather than of messages: RFC 5321 3.8, and Exchange's "432 4.3.2 Concurrent connections limit exceeded". */
const turningAway = new Set([421, 432]);

/** "450 4.7.1 Too many messages in this session" */
const sessionIsOver = /\bthis (?:session|connection)\b/i;

const codeOf = (reply: string): number => Number(reply.slice(0, 3));

/** Reports a refusal; a reply that is neither positive nor negative makes the connection unusable. */
function refused(code: number, response: string, stage: SmtpStage): AttemptReport & { kind: 'replied' } {
  if (code >= 400 && code < 600) return { kind: 'replied', code, response, stage };
  throw new Lost(`The relay answered out of turn: ${response.slice(0, 200)}`);
}

/** Doubles a dot that begins a line (RFC 5321 4.5.2). */
function stuffed(raw: string): string {
  return raw.startsWith('.') || raw.includes('\r\n.') ? raw.replace(/^\./gm, '..') : raw;
}
