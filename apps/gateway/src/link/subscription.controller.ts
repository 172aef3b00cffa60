import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, serviceCaller } from '#bus';
import { subscriberLifeRequests, subscriberRequests } from '#contracts';
import type { UnsubscribeSource } from '#contracts';
import type { MessageLink } from '#link-token';
import { RemoteFailure } from '#tool-call';
import { readBody } from '../http/read-body.js';
import type { Page } from '../web-page/html-page.js';
import {
  forgottenPage,
  preferencesPage,
  resubscribedPage,
  unavailablePage,
  unsubscribedPage,
  unsubscribePage,
  unsubscriptionNotedPage,
} from '../web-page/recipient-pages.js';
import type { Reader, Recipient } from '../web-page/recipient-pages.js';
import { sendPage } from '../web-page/send-html.js';
import { linkActionOf, renameOf } from './link-form.js';
import type { LinkAction } from './link-form.js';
import { LinkResolver, readerLanguage } from './open-link.js';
import { OrganizationNames } from './organization-names.client.js';
import { Unsubscriptions } from './unsubscription.service.js';

const answerMs = 10_000;
/** Far larger than any form of these pages. */
export const formBytesMax = 16_384;
/** Names are truncated here before the call; the subscriber service allows fewer letters. */
const nameLengthMax = 1_000;

type View = (reader: Reader) => Page;

/** The pages on which recipients unsubscribe and subscribe again; only a POST changes anything. */
@Controller()
export class SubscriptionController {
  readonly #subscribers;
  readonly #life;

  constructor(
    @Inject(LinkResolver) private readonly gate: LinkResolver,
    @Inject(OrganizationNames) private readonly names: OrganizationNames,
    @Inject(Unsubscriptions) private readonly unsubscriptions: Unsubscriptions,
    @Inject(Bus) bus: Bus,
  ) {
    this.#subscribers = bus.client(subscriberRequests);
    this.#life = bus.client(subscriberLifeRequests);
  }

  @Get('u/:token')
  async askToUnsubscribe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const link = this.gate.open('unsubscribe', request, reply);
    if (link) sendPage(reply, unsubscribePage(await this.#reader(request, link)));
  }

  @Post('u/:token')
  changeByUnsubscribeLink(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#change('unsubscribe', request, reply);
  }

  @Get('p/:token')
  async showPreferences(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const link = this.gate.openForWork('preferences', request, reply);
    if (link) await this.#sendOr503(request, reply, link, () => this.#preferences(request, link));
  }

  @Post('p/:token')
  changeByPreferences(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#change('preferences', request, reply);
  }

  /**
   * The change is effective before the response is sent, except for an unsubscription while the subscriber service is
   * unavailable: it is stored, and the page says so.
   */
  async #change(kind: 'unsubscribe' | 'preferences', request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const link = this.gate.openForWork(kind, request, reply);
    if (!link) return;
    const form = (await readBody(request.raw, formBytesMax)).toString('utf8');
    const action = linkActionOf(form);
    const name = kind === 'preferences' ? renameOf(form) : null;
    await this.#sendOr503(request, reply, link, async () => {
      const { subscriberId } = link;
      // A preview has no subscriber: the page shows the result without a change.
      if (subscriberId === null) return (reader) => unsubscribedPage(reader, { email: null, resubscribable: false });
      if (name !== null) return await this.#rename(request, { ...link, subscriberId }, name);
      if (action === 'resubscribe') return await this.#resubscribe(request, link, subscriberId);
      return await this.#unsubscribe(request, { ...link, subscriberId }, sourceOf(kind, action));
    });
  }

  async #unsubscribe(
    request: FastifyRequest,
    link: MessageLink & { subscriberId: string },
    source: UnsubscribeSource,
  ): Promise<View> {
    const left = await this.unsubscriptions.unsubscribe({ link, source, requestId: request.id });
    return (reader) => (left ? unsubscribedPage(reader, left) : unsubscriptionNotedPage(reader));
  }

  async #rename(request: FastifyRequest, link: MessageLink & { subscriberId: string }, name: string): Promise<View> {
    const { subscriberId } = link;
    await this.#life.rename_by_link({ subscriberId, name: name.slice(0, nameLengthMax) }, callerOf(request, link));
    return await this.#preferences(request, link, true);
  }

  async #resubscribe(request: FastifyRequest, link: MessageLink, subscriberId: string): Promise<View> {
    await this.#subscribers.resubscribe_by_link({ subscriberId }, callerOf(request, link));
    const recipient = await this.#recipient(request, link, subscriberId);
    return (reader) => resubscribedPage(reader, recipient?.subscribed ? recipient.email : null);
  }

  async #preferences(request: FastifyRequest, link: MessageLink, renamed = false): Promise<View> {
    const recipient = link.subscriberId ? await this.#recipient(request, link, link.subscriberId) : null;
    return (reader) => (recipient ? preferencesPage(reader, recipient, renamed) : forgottenPage(reader));
  }

  async #recipient(request: FastifyRequest, link: MessageLink, subscriberId: string): Promise<Recipient | null> {
    try {
      const { recipient } = await this.#subscribers.get_recipient(
        { subscriberId, showIf: [] },
        callerOf(request, link),
      );
      if (recipient.status === null) return null;
      const { email, status, suppressed, values } = recipient;
      const subscribed = status === 'SUBSCRIBED' && suppressed === null;
      const resubscribable = status === 'UNSUBSCRIBED' && suppressed === null;
      return { email, name: values.name ?? null, subscribed, resubscribable };
    } catch (error) {
      if (error instanceof RemoteFailure && error.failure.reason === 'SUBSCRIBER_NOT_FOUND') return null;
      throw error;
    }
  }

  async #reader(request: FastifyRequest, { organizationId }: MessageLink): Promise<Reader> {
    return { language: readerLanguage(request), from: await this.names.find(organizationId) };
  }

  /** Looks up the organization's name at the same time: neither waits for the other. */
  async #sendOr503(
    request: FastifyRequest,
    reply: FastifyReply,
    link: MessageLink,
    work: () => Promise<View>,
  ): Promise<void> {
    try {
      const [view, reader] = await Promise.all([work(), this.#reader(request, link)]);
      sendPage(reply, view(reader));
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      sendPage(reply, unavailablePage(readerLanguage(request)));
    }
  }
}

const callerOf = (request: FastifyRequest, { organizationId }: MessageLink) =>
  serviceCaller(organizationId, request.id, answerMs);

const sourceOf = (kind: 'unsubscribe' | 'preferences', action: LinkAction) =>
  action === 'one-click' ? 'one-click' : kind === 'preferences' ? 'preferences' : 'page';
