import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, serviceCaller } from '#bus';
import { trackingRequests } from '#contracts';
import type { Hit } from '#contracts';
import { goneLinkPage, goneMessagePage, notedPage, unavailablePage } from '../web-page/recipient-pages.js';
import { sendPage } from '../web-page/send-html.js';
import { agentOf, hitOf } from './hit.js';
import { LinkEffects } from './link-effects.service.js';
import { LinkResolver, readerLanguage } from './open-link.js';
import { redirectTarget } from './redirect-target.js';

const viewMs = 10_000;
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const unkept = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
/** A mail holds one subscriber's own links; the pages say the same in their heads. */
const unlisted = { 'x-robots-tag': 'noindex, nofollow' };
/** The HTML of a mail is untrusted: shown without scripts, forms or access to this site. */
const mailPolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; font-src https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Whether a browser prefetches (Fetch, Sec-Purpose): refused, it requests again when a person clicks. */
const looksAhead = ({ headers }: FastifyRequest): boolean =>
  /\bprefetch\b/i.test(String(headers['sec-purpose'] ?? headers['purpose'] ?? ''));

/** Serves the open, click and view links of mails; HEAD requests never count. */
@Controller()
export class LinkController {
  readonly #delivery;

  constructor(
    @Inject(LinkResolver) private readonly gate: LinkResolver,
    @Inject(LinkEffects) private readonly effects: LinkEffects,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    this.#delivery = bus.client(trackingRequests);
  }

  @Get('o/:token')
  open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const link = this.gate.open('open', request, reply);
    if (!link) return;
    void reply.headers({ ...unkept, 'content-type': 'image/gif' }).send(pixel);
    if (request.method === 'GET') this.#count(hitOf(link, request.headers['user-agent'], this.bus.serviceTime()));
  }

  @Get('c/:token')
  click(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const link = this.gate.open('click', request, reply);
    if (!link) return;
    if (looksAhead(request)) return void reply.code(503).headers(unkept).send('');
    const target = redirectTarget(link.target);
    if (target !== null)
      void reply
        .code(302)
        .headers({ ...unkept, location: target })
        .send('');
    // A link that only changes tags has no target.
    else sendPage(reply, (link.target === '' ? notedPage : goneLinkPage)(readerLanguage(request)));
    if (request.method !== 'GET') return;
    const at = this.bus.serviceTime();
    this.#count(hitOf(link, request.headers['user-agent'], at));
    const { subscriberId } = link;
    if (subscriberId && (link.addTags || link.removeTags)) {
      const click = { link: { ...link, subscriberId }, at: at.toISOString(), requestId: request.id };
      this.effects.add({ kind: 'tags', ...click, userAgent: agentOf(request.headers['user-agent']) });
    }
  }

  @Get('v/:token')
  async view(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const link = this.gate.openForWork('view', request, reply);
    if (!link) return;
    const html = await this.#view(link.organizationId, link.messageId, link.period, request.id).catch(() => undefined);
    if (html === undefined) sendPage(reply, unavailablePage(readerLanguage(request)));
    else if (html === null) sendPage(reply, goneMessagePage(readerLanguage(request)));
    else {
      const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': mailPolicy };
      void reply.headers({ ...unkept, ...headers, ...unlisted }).send(html);
    }
  }

  async #view(organizationId: string, messageId: string | null, period: string, requestId: string) {
    if (messageId === null) return null;
    const caller = serviceCaller(organizationId, requestId, viewMs);
    return (await this.#delivery.view_message({ messageId, period }, caller)).html;
  }

  #count(hit: Hit | null): void {
    if (hit) this.effects.add({ kind: 'hit', hit });
  }
}
