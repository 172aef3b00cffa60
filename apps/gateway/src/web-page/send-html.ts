import type { FastifyReply } from 'fastify';
import { pagePolicy } from './html-page.js';
import type { Page } from './html-page.js';

/** Seconds after which a page that could not be shown is worth another try. */
const retryAfter: Partial<Record<number, string>> = { 429: '60', 503: '5' };

/** Sends a page that nobody keeps, and whose address (it may hold a token) is told to nobody. */
export function sendPage(reply: FastifyReply, { status, language, html }: Page): void {
  const again = retryAfter[status];
  void reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': pagePolicy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      vary: 'accept-language',
      ...(again && { 'retry-after': again }),
    })
    .send(html);
}
