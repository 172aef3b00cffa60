import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';

export interface ReceivedMessage {
  from: string;
  to: string;
  raw: string;
}

/**
 * How the sink treats one message. `wait`: takes it and answers once the promise settles; with `reply` it refuses then. `refuse`: answers the text ("451 4.7.1 Later") at that point. `hang`: never answers.
 * `drop`: closes the connection; after the dot the message counts as taken, which is the worst case for its sender.
 */
export type SinkBehaviour =
  | { do: 'accept'; afterMs?: number }
  | { do: 'wait'; until: Promise<unknown>; reply?: string }
  | { do: 'refuse'; at: 'RCPT' | 'DOT'; reply: string }
  | { do: 'hang'; at: 'RCPT' | 'DOT' }
  | { do: 'drop'; at: 'RCPT' | 'DATA' | 'DOT' };

export interface SinkOptions {
  port?: number;
  /** Decides about a message by its recipient; `nth` counts how often the sink was asked about that address, from 1. */
  behave?: (to: string, nth: number) => SinkBehaviour;
  /** Messages taken a second, all connections together. */
  throttle?: number;
  forget?: boolean;
  /** A file that gets one line a message, synced to the disk before the relay's answer: the judge of kill tests. */
  log?: string;
  /** STARTTLS with an unverifiable certificate, or TLS from the first octet. */
  tls?: 'starttls' | 'always';
  name?: string;
  /** Maximum number of connections; further ones get 421. */
  connections?: number;
  /** Refuses further connections at MAIL FROM, not in the greeting. */
  greetsAll?: boolean;
  refuseSenders?: string;
}

const accept: SinkBehaviour = { do: 'accept' };

/** A real SMTP server that accepts everything, unless configured otherwise. */
export class SmtpSink {
  readonly messages: ReceivedMessage[] = [];
  readonly #counts = new Map<string, number>();
  readonly #asked = new Map<string, number>();
  readonly #decided = new Map<string, SinkBehaviour>();
  readonly #server: SMTPServer;
  readonly #admitted = new Set<string>();
  readonly #log: number | null;
  #nextSlot = 0;
  accepted = 0;
  connectionsMax = 0;
  turnedAway = 0;
  behave: (to: string, nth: number) => SinkBehaviour;

  private constructor(private readonly options: SinkOptions) {
    this.behave = options.behave ?? (() => accept);
    this.#log = options.log === undefined ? null : openSync(options.log, 'a');
    this.#server = new SMTPServer({
      name: options.name ?? 'sink.internal',
      secure: options.tls === 'always',
      disabledCommands: options.tls === 'starttls' ? ['AUTH'] : ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 200,
      size: 20_000_000,
      onConnect: ({ id }, done) => {
        if (this.#admitted.size >= (options.connections ?? Infinity)) {
          if (options.greetsAll) return done();
          this.turnedAway += 1;
          return done(tooMany());
        }
        this.connectionsMax = Math.max(this.connectionsMax, this.#admitted.add(id).size);
        done();
      },
      onClose: ({ id }) => void this.#admitted.delete(id),
      onMailFrom: (_address, { id }, done) => {
        if (!this.#admitted.has(id)) {
          this.turnedAway += 1;
          return done(tooMany());
        }
        done(options.refuseSenders === undefined ? null : replyError(options.refuseSenders));
      },
      onRcptTo: ({ address }, session, done) => this.#recipient(address, session, done),
      onData: (stream, session, done) => this.#data(stream, session, done),
    });
    this.#server.on('error', () => undefined);
  }

  static async start(options: SinkOptions = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    await new Promise<void>((resolve, reject) => {
      sink.#server.once('error', reject);
      sink.#server.listen(options.port ?? 0, '127.0.0.1', () => resolve());
    });
    return sink;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  get #connections() {
    return this.#server.connections as Set<{ id: string; _socket: Socket }>;
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Closes the port and every connection; another sink may start on the same port. */
  async stop(): Promise<void> {
    for (const { _socket } of this.#connections) _socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (this.#log !== null) closeSync(this.#log);
  }

  #recipient(address: string, session: SMTPServerSession, done: (error?: Error | null) => void): void {
    const nth = (this.#asked.get(address) ?? 0) + 1;
    this.#asked.set(address, nth);
    const behaviour = this.behave(address, nth);
    this.#decided.set(session.id, behaviour);
    if ('at' in behaviour && behaviour.at === 'RCPT') return this.#spoil(behaviour, session, done);
    done();
  }

  #data(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error: Error | null, text?: string) => void,
  ): void {
    const behaviour = this.#decided.get(session.id) ?? accept;
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      if (behaviour.do === 'drop' && behaviour.at === 'DATA') this.#destroy(session);
      if (!this.options.forget) chunks.push(chunk);
    });
    stream.on('error', () => undefined);
    stream.on('end', () => {
      if (behaviour.do === 'refuse' || behaviour.do === 'hang') return this.#spoil(behaviour, session, done);
      if (behaviour.do === 'wait' && behaviour.reply !== undefined) {
        const { reply } = behaviour;
        return void behaviour.until.then(() => done(replyError(reply)));
      }
      this.#take(session, Buffer.concat(chunks));
      if (behaviour.do === 'drop') return this.#destroy(session);
      const answer = () => done(null, '2.0.0 Ok: queued');
      if (behaviour.do === 'wait') void behaviour.until.then(answer);
      else this.#later(behaviour.afterMs ?? 0, answer);
    });
  }

  #take(session: SMTPServerSession, raw: Buffer): void {
    const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
    for (const { address: to } of session.envelope.rcptTo) {
      this.accepted += 1;
      this.#counts.set(to, (this.#counts.get(to) ?? 0) + 1);
      if (!this.options.forget) this.messages.push({ from, to, raw: raw.toString() });
      if (this.#log !== null) {
        writeSync(this.#log, `${to}\n`);
        fsyncSync(this.#log);
      }
    }
  }

  #later(afterMs: number, answer: () => void): void {
    const { throttle } = this.options;
    const now = Date.now();
    if (throttle !== undefined) this.#nextSlot = Math.max(this.#nextSlot, now) + 1000 / throttle;
    const wait = Math.max(afterMs, throttle === undefined ? 0 : this.#nextSlot - now);
    if (wait > 0) setTimeout(answer, wait);
    else answer();
  }

  #spoil(behaviour: SinkBehaviour, session: SMTPServerSession, done: (error: Error) => void): void {
    if (behaviour.do === 'refuse') done(replyError(behaviour.reply));
    if (behaviour.do === 'drop') this.#destroy(session);
  }

  #destroy({ id }: SMTPServerSession): void {
    for (const connection of this.#connections) if (connection.id === id) connection._socket.destroy();
  }
}

const tooMany = (): Error => replyError('421 4.7.0 Too many connections');

function replyError(reply: string): Error {
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}
