import type { FastifyReply } from 'fastify';
import { pagePolicy } from './html-page.js';
import type { Page } from './html-page.js';

/** Seconds after which a failed page is worth another try. */
const retryAfter: Partial<Record<number, string>> = { 429: '60', 503: '5' };

/** Sends a page uncached and without a referrer, since its address may hold a token. */
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
