import { CampaignTokenMaker, MESSAGE_PART_LENGTH } from './campaign-tokens.js';
import type { CampaignLinkKind, CampaignScope, MessageTokens } from './campaign-tokens.js';
import { TOKEN_LENGTH_MAX } from './link-tokens.js';
import { clickTarget, ROUTES } from './link-urls.js';
import type { AuthoredLink } from './link-urls.js';

type PageKind = Exclude<CampaignLinkKind, 'click'>;

/** An address that differs between the messages of a campaign in its last 56 characters only. */
export interface CampaignUrl {
  kind: CampaignLinkKind;
  /** Which of the mail's links it is; 0 for what is no click. */
  link: number;
  prefix: string;
}

/** The links of one message. */
export class MessageUrls {
  constructor(private readonly tokens: MessageTokens) {}

  /** Returns the 56 characters that complete an address. */
  part({ kind, link }: Pick<CampaignUrl, 'kind' | 'link'>): string {
    return kind === 'click' ? this.tokens.clickPart(link) : this.tokens.part(kind);
  }

  returnPath(): string {
    return this.tokens.returnPath();
  }
}

/** Makes the addresses of a campaign's links: each is sealed once, and completed for each message. */
export class CampaignUrls {
  readonly #maker: CampaignTokenMaker;

  /**
   * @param base where public links begin, without a slash at the end
   * @throws RangeError for malformed ids or month
   */
  constructor(
    linkKey: Buffer,
    scope: CampaignScope,
    private readonly base: string,
  ) {
    this.#maker = new CampaignTokenMaker(linkKey, scope);
  }

  of(kind: PageKind): CampaignUrl {
    return { kind, link: 0, prefix: `${this.base}/${ROUTES[kind]}/${this.#maker.head(kind)}` };
  }

  /** Returns the address by which a click is known, or the target itself, when it is too long for one. */
  click({ target, number, tag }: AuthoredLink): CampaignUrl | string {
    const head = this.#maker.clickHead(number, clickTarget(target, tag));
    // Better a click that does nothing else than a link that leads nowhere.
    if (head.length + MESSAGE_PART_LENGTH > TOKEN_LENGTH_MAX) return target;
    return { kind: 'click', link: number, prefix: `${this.base}/${ROUTES.click}/${head}` };
  }

  /** Returns the id by which the world knows a message, in its Message-ID. */
  publicId(messageId: string): string {
    return this.#maker.publicId(messageId);
  }

  /** @throws RangeError for ids that are no UUIDs */
  message(ids: { messageId: string; subscriberId: string }): MessageUrls {
    return new MessageUrls(this.#maker.message(ids));
  }
}
