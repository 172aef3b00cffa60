import type { ClickTarget, LinkKind, MessageLink } from './link-payload.js';
import { TOKEN_LENGTH_MAX } from './link-tokens.js';
import type { LinkTokens } from './link-tokens.js';

export const ROUTES: Record<Exclude<LinkKind, 'return-path'>, string> = {
  open: 'o',
  click: 'c',
  unsubscribe: 'u',
  preferences: 'p',
  view: 'v',
  confirm: 's',
};

/** What an author's link leads to, which of the mail's links it is (from 0), and the tags that a click changes. */
export interface AuthoredLink {
  target: string;
  number: number;
  tag?: { add?: string[]; remove?: string[] } | undefined;
}

export const clickTarget = (target: string, tag: AuthoredLink['tag']): ClickTarget => ({
  target,
  ...(tag?.add && { addTags: tag.add }),
  ...(tag?.remove && { removeTags: tag.remove }),
});

/**
 * Where an organization's links begin: at its verified web domain, where it has one, else at this installation's address,
 * which also says whether links are https.
 */
export const linkBase = (publicUrl: string, hostname: string | null): string =>
  hostname === null ? publicUrl : `${new URL(publicUrl).protocol}//${hostname}`;

export class LinkUrls {
  constructor(
    private readonly tokens: LinkTokens,
    private readonly base: string,
  ) {}

  of(kind: Exclude<keyof typeof ROUTES, 'click'>, link: MessageLink): string {
    return `${this.base}/${ROUTES[kind]}/${this.tokens.seal(kind, link)}`;
  }

  /** The address by which a click is known, or the target itself, when it is too long for one. */
  click(link: MessageLink, { target, number, tag }: AuthoredLink): string {
    const token = this.tokens.seal('click', { ...link, link: number, ...clickTarget(target, tag) });
    // Better a click that does nothing else than a link that leads nowhere.
    return token.length > TOKEN_LENGTH_MAX ? target : `${this.base}/${ROUTES.click}/${token}`;
  }
}
