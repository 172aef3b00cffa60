import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readerLanguage } from '../link/open-link.js';
import { isKnownHost } from './known-host.js';
import { MailboxAccess } from './mailbox-access.client.js';
import { goneLinkPage, unavailablePage } from '../web-page/recipient-pages.js';
import { sendPage } from '../web-page/send-html.js';

/** Injection token: the catcher's HTTP address, or null when mail goes to a real relay. */
export const CATCHER_URL = Symbol('mailbox url');
export const PUBLIC_URL = Symbol('public url');

/** Headers that belong to one connection (RFC 9110 section 7.6.1). */
const hopByHop = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect']);
const answerMs = 25_000;

/** Serves the pages of the built-in mail catcher unchanged. */
@Controller()
export class MailboxController {
  constructor(
    @Inject(CATCHER_URL) private readonly mailboxUrl: string | null,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
    @Inject(MailboxAccess) private readonly access: MailboxAccess,
  ) {}

  @All(['mailbox', 'mailbox.json', 'mailbox/*'])
  async forward(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (this.mailboxUrl !== null && isKnownHost(request.headers.host, this.publicUrl)) {
      const access = await this.access.decide(request);
      if (access === 'allowed') return this.#forward(this.mailboxUrl, request, reply);
      if (access === 'signedOut' && isStartPage(request)) return signIn(request, reply);
    }
    sendPage(reply, goneLinkPage(readerLanguage(request)));
  }

  #forward(mailboxUrl: string, request: FastifyRequest, reply: FastifyReply): void {
    const { pathname, search } = new URL(request.url, 'http://mailbox');
    const upstream = httpRequest(
      new URL(mailboxUrl),
      {
        path: pathname + search,
        method: request.method,
        headers: endToEnd(request.headers),
        timeout: answerMs,
      },
      (answer) => {
        reply.hijack();
        reply.raw.writeHead(answer.statusCode!, { ...endToEnd(answer.headers), 'x-request-id': request.id });
        answer.pipe(reply.raw);
        answer.once('error', () => reply.raw.destroy());
      },
    );
    upstream.once('timeout', () => upstream.destroy(new Error('the catcher does not answer')));
    upstream.once('error', () => {
      if (reply.raw.headersSent) reply.raw.destroy();
      else sendPage(reply, unavailablePage(readerLanguage(request)));
    });
    reply.raw.once('close', () => upstream.destroy());
    request.raw.pipe(upstream);
  }
}

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));

/** Whether a browser asks for the list of mails. */
const isStartPage = ({ method, url }: FastifyRequest): boolean => method === 'GET' && /^\/mailbox(?:\?|$)/.test(url);

/** Redirects to the sign-in page, which leads back. */
const signIn = ({ url }: FastifyRequest, reply: FastifyReply): void =>
  void reply.redirect(`/sign-in?next=${encodeURIComponent(url)}`, 303);
