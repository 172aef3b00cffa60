import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, serviceCaller } from '#bus';
import { subscriberLifeRequests } from '#contracts';
import { createdAtOf } from '#database';
import type { MessageLink } from '#link-token';
import { RemoteFailure } from '#tool-call';
import { readBody } from '../http/read-body.js';
import { confirmedPage, confirmPage, expiredPage, notPendingPage, resentPage } from '../web-page/confirmation-pages.js';
import type { Page } from '../web-page/html-page.js';
import { unavailablePage } from '../web-page/recipient-pages.js';
import type { Reader } from '../web-page/recipient-pages.js';
import { sendPage } from '../web-page/send-html.js';
import { confirmationActionOf } from './link-form.js';
import { LinkResolver, readerLanguage } from './open-link.js';
import { OrganizationNames } from './organization-names.client.js';
import { formBytesMax } from './subscription.controller.js';

const answerMs = 10_000;
/** Lifetime of a confirmation link; the subscriber service checks it again. */
const linkMs = 7 * 86_400_000;
const agentLengthMax = 1_024;

type ConfirmLink = MessageLink & { messageId: string; subscriberId: string };

/** The page on which new subscribers confirm their subscription; only its button changes anything. */
@Controller('s/:token')
export class ConfirmationController {
  readonly #life;

  constructor(
    @Inject(LinkResolver) private readonly gate: LinkResolver,
    @Inject(OrganizationNames) private readonly names: OrganizationNames,
    @Inject(Bus) bus: Bus,
  ) {
    this.#life = bus.client(subscriberLifeRequests);
  }

  @Get()
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const link = this.gate.open('confirm', request, reply) as ConfirmLink | null;
    if (!link) return;
    const isOld = Date.now() - createdAtOf(link.messageId).getTime() > linkMs;
    sendPage(reply, (isOld ? expiredPage : confirmPage)(await this.#reader(request, link)));
  }

  @Post()
  async change(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const link = this.gate.openForWork('confirm', request, reply) as ConfirmLink | null;
    if (!link) return;
    const action = confirmationActionOf((await readBody(request.raw, formBytesMax)).toString('utf8'));
    const reader = await this.#reader(request, link);
    try {
      if (action === 'confirm') sendPage(reply, await this.#confirm(request, link, reader));
      else if (action === 'resend') sendPage(reply, await this.#resend(request, link, reader));
      else sendPage(reply, confirmPage(reader));
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      sendPage(reply, unavailablePage(reader.language));
    }
  }

  async #confirm(request: FastifyRequest, link: ConfirmLink, reader: Reader): Promise<Page> {
    const evidence = {
      linkMadeAt: createdAtOf(link.messageId).toISOString(),
      ip: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, agentLengthMax) ?? null,
    };
    const { subscriberId } = link;
    const { outcome, email } = await this.#life.confirm_subscription(
      { subscriberId, ...evidence },
      callerOf(request, link),
    );
    if (outcome === 'EXPIRED') return expiredPage(reader);
    return outcome === 'CONFIRMED' ? confirmedPage(reader, email) : notPendingPage(reader);
  }

  async #resend(request: FastifyRequest, link: ConfirmLink, reader: Reader): Promise<Page> {
    const { subscriberId } = link;
    const { sent } = await this.#life.resend_confirmation({ subscriberId }, callerOf(request, link));
    return resentPage(reader, sent);
  }

  async #reader(request: FastifyRequest, { organizationId }: MessageLink): Promise<Reader> {
    return { language: readerLanguage(request), from: await this.names.find(organizationId) };
  }
}

const callerOf = (request: FastifyRequest, { organizationId }: MessageLink) =>
  serviceCaller(organizationId, request.id, answerMs);
