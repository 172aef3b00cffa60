import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { HandOverReport } from '../message/hand-over-report.js';
import type { Parcel } from '../message/message.js';
import type { RelayAddress } from './relay-address.js';

/** How long each part of a conversation may take, in milliseconds (RFC 5321 4.5.3.2). */
export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  /** Until the relay asks for the data. */
  commandMs: number;
  /** From the first octet of the data to the reply after the final dot. */
  dataMs: number;
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
}

/** RFC 6531 3.7.4 and RFC 3463 3.8: this relay cannot carry the address. */
const noSmtpUtf8: HandOverReport = {
  kind: 'replied',
  code: 550,
  response: '550 5.6.7 The relay does not carry international addresses (SMTPUTF8)',
};

/** The relay told its limit in advance (RFC 1870), so it was not even asked. */
const tooLarge: HandOverReport = {
  kind: 'replied',
  code: 552,
  response: '552 5.3.4 The message is larger than the relay takes',
};

/** Pieces of a message between which the socket may refuse more, so that a large one is not "written" at once. */
const pieceBytes = 64 * 1024;

/**
 * One connection to a relay, for one message at a time. It never sends anything twice: what became of a message is told
 * once, and what follows is the caller's to decide.
 */
export class SmtpClient {
  readonly #connection: SMTPConnection;
  #usable = false;
  /** Ends the hand-over under way when the connection does. */
  #lost: ((reason: string) => void) | null = null;
  /** When it was last given back, by the process's clock; for closing what stands idle. */
  idleSince = 0;

  constructor(
    private readonly address: RelayAddress,
    private readonly timeouts: SmtpTimeouts,
  ) {
    this.#connection = new SMTPConnection({
      host: address.host,
      port: address.port,
      secure: address.secure,
      ignoreTLS: address.startTls === 'off',
      requireTLS: address.startTls === 'required',
      tls: { rejectUnauthorized: address.startTls !== 'unverified' },
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.greetingMs,
      // The phases have timers here; the socket's own only catches what they leave open.
      socketTimeout: timeouts.dataMs + timeouts.commandMs,
      socketCloseTimeout: 0,
    });
    this.#connection.on('error', (error: Error) => this.#end(error.message));
    this.#connection.on('end', () => this.#end('Connection closed'));
  }

  /** Whether the next message may be given to it. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Connects, greets, encrypts and authenticates. @throws Error in words for an operator */
  async connect(): Promise<void> {
    await this.#opened();
    const { auth } = this.address;
    if (auth) {
      await new Promise<void>((resolve, reject) => {
        this.#lost = (reason) => reject(new Error(reason));
        this.#connection.login({ user: auth.user, pass: auth.pass }, (error) => (error ? reject(error) : resolve()));
      }).finally(() => (this.#lost = null));
    }
    this.#usable = true;
  }

  async #opened(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#lost = (reason) => reject(new Error(reason));
      this.#connection.connect((error) => (error ? reject(error) : resolve()));
    }).finally(() => (this.#lost = null));
  }

  /** Gives the relay one message. Never rejects: trouble is part of the report. */
  async handOver(parcel: Parcel): Promise<HandOverReport> {
    if (!this.#usable) return { kind: 'lost', dotWritten: false, reason: 'Connection closed before the message' };
    if (parcel.smtpUtf8 && !this.#extensions().includes('SMTPUTF8')) return noSmtpUtf8;
    const { report, inTransaction } = await this.#converse(parcel);
    if (inTransaction && this.#usable) await this.#reset();
    return report;
  }

  async #converse(parcel: Parcel): Promise<{ report: HandOverReport; inTransaction: boolean }> {
    let dataStarted = false;
    let dotWritten = false;
    let timer: NodeJS.Timeout | undefined;
    const report = await new Promise<HandOverReport>((resolve) => {
      const lost = (reason: string) => resolve({ kind: 'lost', dotWritten, reason });
      this.#lost = lost;
      const within = (ms: number, what: string) => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          lost(`The relay did not answer ${what} within ${ms / 1000} s`);
          this.close();
        }, ms);
      };
      within(this.timeouts.commandMs, 'a command');
      const body = bodyOf(parcel.raw, {
        started: () => {
          dataStarted = true;
          within(this.timeouts.dataMs, 'the final dot');
        },
        ending: () => (dotWritten = true),
      });
      const envelope = { from: parcel.from, to: [parcel.to], size: parcel.raw.length };
      this.#connection.send(envelope, body, (error, info) => {
        if (!error && info) resolve({ kind: 'replied', code: codeOf(info.response), response: info.response });
        else resolve(reportOf(error as SmtpError, dotWritten));
      });
    });
    clearTimeout(timer);
    this.#lost = null;
    return { report, inTransaction: report.kind === 'replied' && report.code >= 400 && !dataStarted };
  }

  /** A refused recipient leaves the relay in the middle of a transaction (RFC 5321 4.1.1.5). */
  async #reset(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#lost = () => resolve();
      const timer = setTimeout(() => {
        this.close();
        resolve();
      }, this.timeouts.commandMs);
      this.#connection.reset((error) => {
        clearTimeout(timer);
        if (error) this.close();
        resolve();
      });
    });
    this.#lost = null;
  }

  #extensions(): string[] {
    return (this.#connection as unknown as { _supportedExtensions: string[] })._supportedExtensions;
  }

  /** Says goodbye; the connection is not used again. */
  quit(): void {
    if (this.#usable) this.#connection.quit();
    this.#usable = false;
    setTimeout(() => this.close(), 1000).unref();
  }

  close(): void {
    this.#usable = false;
    this.#connection.close();
  }

  #end(reason: string): void {
    this.#usable = false;
    const lost = this.#lost;
    // The library tells of the end first, and then, in the same turn, of the reply that explains it.
    if (lost) setImmediate(() => lost(reason));
  }
}

/** A stream that tells when the relay wants the data, and just before the final dot follows the last octet. */
function bodyOf(raw: Buffer, tell: { started(): void; ending(): void }): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: 0,
    read() {
      if (at === 0) tell.started();
      if (at < raw.length) {
        this.push(raw.subarray(at, (at += pieceBytes)));
      } else {
        tell.ending();
        this.push(null);
      }
    },
  });
}

const codeOf = (response: string): number => Number(/^\d{3}/.exec(response)?.[0] ?? 0);

/** A reply counts for what it says; everything else is a connection that was lost. */
function reportOf(error: SmtpError, dotWritten: boolean): HandOverReport {
  const code = error.responseCode ?? 0;
  if (code >= 400 && code < 600) return { kind: 'replied', code, response: error.response ?? String(code) };
  if (error.code === 'EMESSAGE' && !dotWritten) return tooLarge;
  return { kind: 'lost', dotWritten, reason: error.message };
}
