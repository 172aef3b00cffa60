import { randomUUID } from 'node:crypto';
import type { Hit } from '#contracts';
import type { ClickLink, MessageLink } from '#link-token';

/** Longest URL and user agent that are passed on. */
const textLengthMax = 2048;

/** The user agent, truncated; null without one. */
export const agentOf = (userAgent: string | undefined): string | null => userAgent?.slice(0, textLengthMax) ?? null;

/** An open or a click for delivery to classify; null for a link without a message (a preview), which is not counted. */
export function hitOf(link: MessageLink | ClickLink, userAgent: string | undefined, at: Date): Hit | null {
  if (link.messageId === null) return null;
  const click = 'link' in link ? link : null;
  return {
    hitId: randomUUID(),
    kind: click ? 'click' : 'open',
    organizationId: link.organizationId,
    messageId: link.messageId,
    period: link.period,
    linkNumber: click && click.link,
    url: click && click.target.slice(0, textLengthMax),
    at: at.toISOString(),
    userAgent: agentOf(userAgent),
  };
}
