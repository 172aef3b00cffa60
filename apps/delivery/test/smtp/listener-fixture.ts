import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import type { Client } from '#bus';
import { domainRequests, feedbackRequests } from '#contracts';
import type { EventData } from '#contracts';
import { newUuid } from '#database';
import { CampaignUrls, deriveKey, LinkTokens } from '#link-token';
import { createLogger } from '#observability';
import { CallContexts, readEnvironment } from '#service-host';
import { SmtpSink, until } from '#testing';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { deliveryEnvironment } from '../../src/config.js';
import { emailParts } from '../../src/delivery.module.js';
import { SmtpListener } from '../../src/accept/smtp/smtp-listener.worker.js';
import type { SmtpListenerOptions } from '../../src/accept/smtp/smtp-listener.worker.js';
import { SendFixture } from '../send-fixture.js';
import type { Sending } from '../send-fixture.js';

const config = readEnvironment(deliveryEnvironment, environmentFor('postgres://localhost/unused'));

/** Creates and opens the tokens of this listener's return paths. */
export const linkTokens = new LinkTokens(deriveKey(config.MASTER_KEY, 'links'));

/** The id of a message as its Message-ID shows it; ids are uuids. */
export const shownId = (messageId: string): string => {
  const scope = { organizationId: newUuid(), campaignId: newUuid(), period: '2026-01' };
  return new CampaignUrls(deriveKey(config.MASTER_KEY, 'links'), scope, '').publicId(messageId);
};

/** A report of a bounce in its usual form (RFC 3464). */
export const dsn = (address: string, status: string, text: string): string =>
  [
    ...['From: <MAILER-DAEMON@mx.internal>', 'Subject: Undelivered Mail', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', '', '--b'],
    ...['Content-Type: text/plain', '', 'It came back.', '', '--b', 'Content-Type: message/delivery-status', ''],
    ...['Reporting-MTA: dns; mx.internal', '', `Final-Recipient: rfc822; ${address}`, 'Action: failed'],
    ...[`Status: ${status}`, `Diagnostic-Code: smtp; ${text}`, '', '--b--', ''],
  ].join('\r\n');

/** ListenerFixture holds an SMTP listener, an engine that sends the accepted mail, and the actions of a client. */
export class ListenerFixture {
  listener!: SmtpListener;
  /** Bounces of another cell. */
  readonly handedOn: { cell: string; returnPath: string }[] = [];
  #token = '';

  private constructor(
    readonly world: SendFixture,
    private readonly sink: SmtpSink,
    readonly tenant: Sending,
    /** Of another cell. */
    readonly far: Sending,
  ) {}

  static async start(): Promise<ListenerFixture> {
    const [world, sink] = [await SendFixture.start(), await SmtpSink.start()];
    const smtpListener = new ListenerFixture(world, sink, await world.organization(), await world.organization());
    world.engine(sink.url);
    await smtpListener.#listen();
    smtpListener.#token = await smtpListener.newToken(['send']);
    return smtpListener;
  }

  async #listen(): Promise<void> {
    this.listener = this.newListener();
    this.listener.start();
    await this.listener.ready;
  }

  newListener(
    port = 0,
    log = createLogger('delivery', 'silent'),
    more: Partial<SmtpListenerOptions> = {},
  ): SmtpListener {
    const { tidings: harness, database } = this.world;
    return new SmtpListener({
      ...emailParts(config, { bus: harness.bus }),
      domain: placing(harness.client(domainRequests), this.far),
      contexts: new CallContexts('delivery', database, () => undefined),
      log,
      host: '127.0.0.1',
      port,
      name: 'mx.tidings.internal',
      mailHost: 'bounces.tidings.internal',
      tls: null,
      cell: {
        own: 'home',
        home: 'home',
        feedbackIn: (cell) => ({
          take_bounce: ({ returnPath }) => {
            this.handedOn.push({ cell, returnPath });
            return Promise.resolve({ outcome: 'recorded' });
          },
        }),
      },
      ...more,
    });
  }

  async stop(): Promise<void> {
    await this.listener.stop();
    await this.world.stop();
    await this.sink.stop();
  }

  async newToken(scopes: ('read' | 'send')[], of = this.tenant, selfConfirm = true): Promise<string> {
    const { tidings: harness } = this.world;
    const asked = { organizationId: of.organizationId, name: 'mail', scopes, selfConfirm };
    return (await harness.client(domainRequests).create_token(asked, harness.caller(of))).secret;
  }

  /** Returns an SMTP client with a token, by default the tenant's. */
  client(pass = this.#token, more: object = {}) {
    return createTransport({
      host: '127.0.0.1',
      port: this.listener.port,
      auth: { user: 'anything', pass },
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      ...more,
    });
  }

  mail(change: SendMailOptions = {}): SendMailOptions {
    return {
      from: `Garden Shop <orders@${this.tenant.sender.domain}>`,
      to: 'ada@smtp.internal',
      subject: 'Rechnung für Ada',
      text: 'Danke schön',
      html: '<p>Danke schön</p>',
      ...change,
    };
  }

  async submit(change: SendMailOptions = {}): Promise<string> {
    return (await this.client().sendMail(this.mail(change))).response;
  }

  /** What a mail that must not be taken is answered; "taken" if it is. */
  refusal(change: SendMailOptions, by = this.client()): Promise<string> {
    return by.sendMail(this.mail(change)).then(
      () => 'taken',
      (error: Error & { response?: string }) => error.response ?? error.message,
    );
  }

  hasArrived(address: string): boolean {
    return this.sink.messages.some(({ to }) => to === address);
  }

  async arrived(address: string) {
    await until(`${address} has mail`, () => this.hasArrived(address));
    return this.sink.messages.find(({ to }) => to === address)!;
  }

  /** Speaks SMTP line by line. @returns the replies */
  async speak(lines: string[]): Promise<string[]> {
    const socket = connect(this.listener.port, '127.0.0.1');
    const replies: string[] = [];
    let left = [...lines];
    await new Promise<void>((resolve, reject) => {
      socket
        .setEncoding('latin1')
        .on('error', reject)
        .on('close', () => resolve());
      let text = '';
      socket.on('data', (chunk: string) => {
        text += chunk;
        if (!/^\d{3} .*\r\n$/m.test(text.slice(text.lastIndexOf('\n', text.length - 2) + 1))) return;
        replies.push(text.trim().split('\r\n').at(-1)!);
        text = '';
        const [next, ...rest] = left;
        left = rest;
        if (next !== undefined) socket.write(`${next}\r\n`);
        else if (!socket.writableEnded) socket.end('QUIT\r\n');
      });
    });
    return replies;
  }

  /** The newest message to an address. */
  async rowOf(email: string) {
    const [row] = await this.world.database.query<
      { organization_id: string; message_id: string; month: string; state: string }[]
    >(
      `select organization_id, message_id, to_char(period, 'YYYY-MM') as month, state from any_message where email = $1 order by message_id desc limit 1`,
      [email],
    );
    return row!;
  }

  async returnPathOf(email: string): Promise<string> {
    const { organization_id: organizationId, message_id: messageId, month: period } = await this.rowOf(email);
    const token = linkTokens.seal('return-path', { organizationId, messageId, period });
    return `b.${token}@${this.tenant.sender.mailFromDomain}`;
  }

  /** The certificate that a client sees after STARTTLS (RFC 3207). */
  async certificate(port = this.listener.port): Promise<X509Certificate> {
    const socket = connect(port, '127.0.0.1');
    await until('it greets', () => socket.read() !== null);
    socket.write('STARTTLS\r\n');
    await until('it is ready', () => /^220 /.test(String(socket.read() ?? '')));
    const secured = connectTls({ socket, rejectUnauthorized: false });
    await once(secured, 'secureConnect');
    const certificate = secured.getPeerX509Certificate()!;
    secured.destroy();
    return certificate;
  }

  /** Brings a bounce, as another server does: without a token. */
  bounce(to: string, raw: string) {
    return this.client('', { auth: undefined }).sendMail({ envelope: { from: '', to: [to] }, raw });
  }

  /** Reports a bounce or complaint as a webhook with the whole report does. */
  report(raw: string) {
    const caller = this.world.tidings.caller({ organizationId: '' });
    const asked = { raw: Buffer.from(raw).toString('base64') };
    return this.world.tidings.client(feedbackRequests).record_mail_report(asked, caller);
  }

  /** What the newest bounce of an address is reported as; null without one. */
  async bounceOf(email: string): Promise<EventData<'message.bounced'> | null> {
    const bounced = (await this.world.tidings.deliverEvents()).flatMap(({ name, data }) =>
      name === 'message.bounced' ? [data] : [],
    );
    return bounced.findLast((data) => data.email === email) ?? null;
  }

  /** The subscriber's status, when all events are known everywhere. */
  async statusOf(email: string): Promise<string> {
    const { tidings: harness } = this.world;
    await harness.deliverEvents();
    const found = await harness.data<{ subscriber: { status: string } }>('get_subscriber', { email }, this.tenant);
    return found.subscriber.status;
  }
}

/** The domain service, where one organization is of another cell. */
function placing(domain: Client<typeof domainRequests>, far: Sending): Client<typeof domainRequests> {
  const cellOf = (organizationId: string) => (organizationId === far.organizationId ? 'there' : null);
  return {
    ...domain,
    authenticate_token: async (...asked) => {
      const { token: known } = await domain.authenticate_token(...asked);
      return { token: known && { ...known, cell: cellOf(known.organizationId) } };
    },
    get_organization: async (...asked) => {
      const { organization } = await domain.get_organization(...asked);
      return { organization: { ...organization, cell: cellOf(organization.id) } };
    },
  };
}
