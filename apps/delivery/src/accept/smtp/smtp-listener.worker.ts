import { SMTPServer } from 'smtp-server';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import { emailTools, isWithinToolsets } from '#contracts';
import type { feedbackRequests, FeedbackOutcome, TokenFacts } from '#contracts';
import { wireId } from '#database';
import { emailKey } from '#email-address';
import type { EmailAddress } from '#email-address';
import type { Logger } from '#observability';
import type { Worker } from '#service-host';
import { boundsOf, hashApiToken, isPossibleApiToken } from '#tool-call';
import { readReturnPath, recordMail } from '../../report/bounce/record-feedback.service.js';
import { MessageRate } from './message-rate.js';
import { createSelfSignedCertificate } from './self-signed-certificate.js';
import { SmtpRefusal, smtpRefusalOf } from './smtp-refusal.js';
import { UnauthenticatedLimit } from './unauthenticated-limit.js';
import { checkRecipient, submitMail } from './submission.service.js';
import type { SubmissionDependencies } from './submission.service.js';

/** API text, section 8. */
const sizeMax = 10 * 1024 * 1024;
const recipientsMax = 50;
const clientsMax = 300;
/** Of these, the most without a token: of one network, and of all. */
const unauthenticatedMax = { perNetwork: 100, inAll: 200 };
/**
 * Milliseconds from the greeting until a client without a token must have shown one or begun a bounce (AUTH, MAIL), and
 * until its session ends in any case. A byte every few seconds does not extend them.
 */
const unauthenticatedLimits = { toBegin: 30_000, inAll: 300_000 };
/** Bytes of a bounce that are passed on; the relevant parts of a report are at its beginning. */
const bounceBytesMax = 512 * 1024;
const rebindMs = 5_000;
const idleMs = 120_000;
const loopback = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;

export interface SmtpListenerOptions extends SubmissionDependencies {
  host: string;
  port: number;
  name: string;
  /** The host that MX records name; the first name of a self-signed certificate. */
  mailHost: string;
  /** PEM; without them the listener creates a key and a self-signed certificate, kept in memory only. */
  tls: { key: string; cert: string } | null;
  log: Logger;
  cell: ListenerCell;
  /** Milliseconds. */
  unauthenticatedLimits?: { toBegin: number; inAll: number };
}

/** The cell of a listener, and the clients of the others: a bounce may belong to an organization of any cell. */
export interface ListenerCell {
  own: string;
  home: string;
  feedbackIn(cell: string): Pick<Client<typeof feedbackRequests>, 'take_bounce'>;
}

/** Kept here, since the server empties the envelope between messages. */
interface Gathered {
  /** The permissions of the session's token at this message; null without a token. */
  token: TokenFacts | null;
  recipients: EmailAddress[];
  returnPath: string | null;
}

interface OpenConnection {
  session: SMTPServerSession;
  send(code: number, text: string): void;
  close(): void;
}

const wrongTokensMax = 3;

/**
 * Accepts mail to send from clients with an API token, and from others only bounces, from the null sender to return
 * paths that we signed. Of several processes of a machine one listens.
 */
export class SmtpListener implements Worker {
  readonly #server: SMTPServer;
  readonly #sessions = new WeakMap<SMTPServerSession, Gathered>();
  readonly #wrongTokens = new WeakMap<SMTPServerSession, number>();
  readonly #rate = new MessageRate();
  readonly #unauthenticated = new UnauthenticatedLimit(unauthenticatedMax);
  readonly #timers = new Map<string, NodeJS.Timeout[]>();
  #retry: NodeJS.Timeout | null = null;
  #stopping = false;
  #listening: () => void = () => undefined;
  readonly ready = new Promise<void>((resolve) => (this.#listening = resolve));

  constructor(private readonly options: SmtpListenerOptions) {
    this.#server = new SMTPServer({
      name: options.name,
      banner: 'Tidings',
      size: sizeMax,
      maxClients: clientsMax,
      socketTimeout: idleMs,
      // Without these two the library uses a key that it publishes.
      ...(options.tls ?? createSelfSignedCertificate([options.mailHost, options.name, 'localhost'], new Date())),
      authMethods: ['PLAIN', 'LOGIN'],
      authOptional: true,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      hideDSN: true,
      hideREQUIRETLS: true,
      logger: false,
      closeTimeout: 2_000,
      onConnect: (session, done) => settle(() => this.#connect(session), done),
      onClose: (session) => this.#noUnauthenticated(session),
      onAuth: (auth, session, done) => settle(() => this.#authenticate(auth.password ?? '', session), done),
      onMailFrom: ({ address }, session, done) => settle(() => this.#mailFrom(address, session), done),
      onRcptTo: ({ address }, session, done) => settle(() => this.#recipient(address, session), done),
      onData: (stream, session, done) => settle(() => this.#message(stream, session), done),
    });
    this.#server.on('error', (error) => this.#failed(error as NodeJS.ErrnoException));
  }

  get port(): number {
    const address = this.#server.server.address();
    return address !== null && typeof address === 'object' ? address.port : this.options.port;
  }

  start(): void {
    this.#server.listen(this.options.port, this.options.host, () => {
      this.options.log.info({ port: this.port }, 'SMTP listener started');
      this.#listening();
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#retry) clearTimeout(this.#retry);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (error.syscall !== 'listen') return this.options.log.debug({ err: error }, 'SMTP client connection failed');
    // Where several processes of a machine wait for it, this is said once by each.
    const level = this.#retry === null ? 'warn' : 'debug';
    this.options.log[level]({ err: error }, 'SMTP listener cannot bind its port; retrying');
    if (!this.#stopping) this.#retry = setTimeout(() => this.start(), rebindMs).unref();
  }

  #connect({ remoteAddress, id }: SMTPServerSession): void {
    const { admitted, evicted } = this.#unauthenticated.take(remoteAddress, id);
    if (evicted !== null) this.#hangUp(evicted, 'Too many connections without a token; yours is the oldest');
    if (!admitted) throw new SmtpRefusal(421, '4.7.0', 'Too many connections without a token from your address');
    const { toBegin, inAll } = this.options.unauthenticatedLimits ?? unauthenticatedLimits;
    const limit = (ms: number) => setTimeout(() => this.#hangUp(id, 'Too slow; show a token or send your bounce'), ms);
    this.#timers.set(id, [limit(inAll), limit(toBegin)]);
  }

  /** Lifts the limits of clients without a token: it showed one, or it is gone. */
  #noUnauthenticated({ remoteAddress, id }: Pick<SMTPServerSession, 'remoteAddress' | 'id'>): void {
    this.#unauthenticated.giveBack(remoteAddress, id);
    for (const timer of this.#timers.get(id) ?? []) clearTimeout(timer);
    this.#timers.delete(id);
  }

  #hangUp(id: string, message: string): void {
    for (const connection of this.#server.connections as Set<OpenConnection>) {
      if (connection.session.id !== id) continue;
      connection.send(421, `4.7.0 ${message}`);
      connection.close();
    }
  }

  /** The session keeps the token's hash; its permissions are requested again for each message. */
  async #authenticate(token: string, session: SMTPServerSession): Promise<{ user: string }> {
    if (!session.secure && !loopback.test(session.remoteAddress)) {
      throw new SmtpRefusal(538, '5.7.11', 'Encryption is required; issue STARTTLS first');
    }
    const wrong = (this.#wrongTokens.get(session) ?? 0) + 1;
    this.#wrongTokens.set(session, wrong);
    const refused =
      wrong > wrongTokensMax
        ? new SmtpRefusal(421, '4.7.0', 'Too many wrong tokens')
        : new SmtpRefusal(535, '5.7.8', 'The token is not known, expired, may not send emails, or needs approvals');
    if (!isPossibleApiToken(token) || wrong > wrongTokensMax) throw refused;
    const user = hashApiToken(token);
    const known = await this.#tokenOf(user, session);
    if (!known) throw refused;
    const { own, home } = this.options.cell;
    const cell = known.cell ?? home;
    if (cell !== own)
      throw new SmtpRefusal(535, '5.7.0', `This organization's mail is accepted by the listener of cell ${cell}`);
    this.#noUnauthenticated(session);
    return { user };
  }

  /**
   * @returns null for a token that is unknown, revoked, expired, may not send, or needs an approval, which SMTP cannot
   * request
   */
  async #tokenOf(tokenHash: string, { id }: SMTPServerSession): Promise<TokenFacts | null> {
    const { token } = await this.options.domain.authenticate_token({ tokenHash }, serviceCaller('', id));
    if (!token?.scopes.includes('send') || !token.selfConfirm || token.asks === true) return null;
    return isWithinToolsets(token.toolsets, emailTools.calls.send_email) ? token : null;
  }

  async #mailFrom(address: string, session: SMTPServerSession): Promise<void> {
    // False without a user, although its type says otherwise.
    const user = session.user as string | false | undefined;
    const token = user ? await this.#tokenOf(user, session) : null;
    this.#sessions.set(session, { token, recipients: [], returnPath: null });
    if (!token && (user || address !== '')) throw new SmtpRefusal(530, '5.7.0', 'Authentication required');
    if (token && !this.#rate.take(token.organizationId, token.ratePerMinute, Date.now())) {
      throw new SmtpRefusal(451, '4.7.1', `More than ${token.ratePerMinute} messages a minute; try again later`);
    }
    clearTimeout(this.#timers.get(session.id)?.pop());
  }

  async #recipient(address: string, session: SMTPServerSession): Promise<void> {
    const gathered = this.#sessions.get(session)!;
    const { token } = gathered;
    if (!token) {
      if (!readReturnPath(this.options.tokens, address)) throw new SmtpRefusal(550, '5.7.1', 'Relaying denied');
      if (gathered.returnPath !== null) throw new SmtpRefusal(452, '4.5.3', 'One recipient a bounce');
      gathered.returnPath = address;
      return;
    }
    if (gathered.recipients.length >= recipientsMax) throw new SmtpRefusal(452, '4.5.3', 'Too many recipients');
    const checked = await checkRecipient(address, this.options, callerOf(token, session));
    if (!gathered.recipients.some((one) => emailKey(one) === emailKey(checked))) gathered.recipients.push(checked);
  }

  async #message(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const raw = await readAll(stream);
    if (raw === null) throw new SmtpRefusal(552, '5.3.4', 'The message is larger than 10 MB');
    const { token, recipients, returnPath } = this.#sessions.get(session)!;
    if (token) {
      const id = await submitMail(raw, recipients, this.options, callerOf(token, session));
      return `2.0.0 Ok: queued as ${id}`;
    }
    const outcome = await this.#takeBounce(raw, returnPath!, session);
    if (outcome === 'later') throw new SmtpRefusal(451, '4.3.0', 'The message is still being sent; try again later');
    this.options.log.debug({ outcome }, 'took a bounce');
    return '2.0.0 Ok';
  }

  async #takeBounce(raw: Buffer, returnPath: string, session: SMTPServerSession): Promise<FeedbackOutcome> {
    const { domain, tokens, cell } = this.options;
    const outcome = await recordMail(this.options, raw, { returnPath });
    const about = readReturnPath(tokens, returnPath);
    if (outcome !== 'unknown' || !about) return outcome;
    const caller = serviceCaller(wireId('org', about.organizationId), session.id);
    const { organization } = await domain.get_organization({}, caller);
    const owner = organization.cell ?? cell.home;
    if (owner === cell.own) return outcome;
    const beginning = raw.subarray(0, bounceBytesMax).toString('base64');
    return (await cell.feedbackIn(owner).take_bounce({ raw: beginning, returnPath }, caller)).outcome;
  }
}

const callerOf = (token: TokenFacts, { id }: SMTPServerSession) => ({
  ...serviceCaller(token.organizationId, id),
  tokenId: token.tokenId,
  scopes: token.scopes,
  bounds: boundsOf(token),
});

/** Reads to the end in any case, so that the client gets its reply. @returns null for a mail that is too large */
async function readAll(stream: SMTPServerDataStream): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= sizeMax) chunks.push(chunk);
  }
  return stream.sizeExceeded || size > sizeMax ? null : Buffer.concat(chunks);
}

function settle<T>(
  work: () => T | Promise<T>,
  done: (error?: Error | null, answer?: T & string & object) => void,
): void {
  void new Promise<T>((resolve) => resolve(work())).then(
    (answer) => done(null, answer as T & string & object),
    (error: unknown) => done(smtpRefusalOf(error)),
  );
}
