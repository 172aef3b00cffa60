import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LinkKind, LinkPayloads, LinkTokens } from '#link-token';
import { languageOf } from '../web-page/language.js';
import type { Language } from '../web-page/language.js';
import { goneLinkPage, tooManyPage } from '../web-page/recipient-pages.js';
import { sendPage } from '../web-page/send-html.js';
import { AttemptLimiter } from './attempt-limiter.js';

type WireId = (prefix: 'org' | 'msg' | 'sub' | 'cmp', uuid: string) => string;

type PublicKind = Exclude<LinkKind, 'return-path'>;

const minuteMs = 60_000;

/** Opens the tokens of public links; a bad token is answered with a page, never with a redirect. */
export class LinkResolver {
  /** Bad tokens by address; good ones are not counted, since mail providers fetch thousands from one address. */
  readonly #guesses = new AttemptLimiter({ attemptsMax: 60, windowMs: minuteMs, keysMax: 10_000 });
  /** Uses of one good token that cause work in a service. */
  readonly #uses = new AttemptLimiter({ attemptsMax: 30, windowMs: minuteMs, keysMax: 10_000 });

  constructor(
    private readonly tokens: LinkTokens,
    private readonly wireId: WireId,
  ) {}

  /** @returns the link's payload, with ids as on the wire; null when the request was answered with a page */
  open<K extends PublicKind>(kind: K, request: FastifyRequest, reply: FastifyReply): LinkPayloads[K] | null {
    const payload = this.tokens.open(kind, tokenOf(request));
    if (payload) return this.#onTheWire(payload);
    const page = this.#guesses.allows(request.ip) ? goneLinkPage : tooManyPage;
    sendPage(reply, page(readerLanguage(request)));
    return null;
  }

  /** Like `open`, for requests that cause work in another service. */
  openForWork<K extends PublicKind>(kind: K, request: FastifyRequest, reply: FastifyReply): LinkPayloads[K] | null {
    const payload = this.open(kind, request, reply);
    if (!payload || this.#uses.allows(tokenOf(request))) return payload;
    sendPage(reply, tooManyPage(readerLanguage(request)));
    return null;
  }

  #onTheWire<P extends LinkPayloads[PublicKind]>(payload: P): P {
    const { organizationId, messageId, subscriberId, campaignId } = payload;
    return {
      ...payload,
      organizationId: this.wireId('org', organizationId),
      messageId: messageId && this.wireId('msg', messageId),
      subscriberId: subscriberId && this.wireId('sub', subscriberId),
      campaignId: campaignId && this.wireId('cmp', campaignId),
    };
  }
}

const tokenOf = ({ params }: FastifyRequest): string => (params as { token: string }).token;

export const readerLanguage = ({ headers }: FastifyRequest): Language => languageOf(headers['accept-language']);
