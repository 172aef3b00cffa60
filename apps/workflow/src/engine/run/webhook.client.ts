import { createHmac } from 'node:crypto';
import { AddressForbidden, PublicFetcher } from '#public-fetch';

export interface Webhook {
  url: string;
  secret?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** The result of a call: its status, or null without a response; its problem; `later`, whether a retry may succeed. */
export interface WebhookAnswer {
  status: number | null;
  problem: string;
  later: boolean;
}

const deadlineMs = 15_000;
/**
 * Statuses whose definitions ask for a retry: Request Timeout, Too Early and Too Many Requests (RFC 9110, 8470 and
 * 6585).
 */
const laterStatuses = [408, 425, 429];

/** Calls webhooks: public addresses only, with signed requests, never following redirects. */
export class WebhookClient {
  readonly #fetcher: PublicFetcher;

  /** @param signingKey derives a signing key for each organization */
  constructor(
    options: { allowed: ReadonlySet<string>; dnsServers?: readonly string[] },
    private readonly signingKey: Buffer,
    private readonly clock: () => number = Date.now,
  ) {
    this.#fetcher = new PublicFetcher(options);
  }

  /**
   * `X-Tidings-Signature` is `t=<seconds>,v1=<hex>`, HMAC-SHA256 of `<seconds>.<body>`.
   * @param effectId the same for every attempt, so that the server can recognize repeats
   */
  async post(webhook: Webhook, body: { organizationId: string }, effectId: string): Promise<WebhookAnswer> {
    const text = JSON.stringify(body);
    const seconds = Math.floor(this.clock() / 1000);
    const key = createHmac('sha256', this.signingKey).update(body.organizationId).digest('hex');
    const signature = createHmac('sha256', webhook.secret ?? key)
      .update(`${seconds}.${text}`)
      .digest('hex');
    try {
      const { status } = await this.#fetcher.post({
        url: webhook.url,
        body: text,
        headers: {
          ...webhook.headers,
          'content-type': 'application/json',
          'x-tidings-signature': `t=${seconds},v1=${signature}`,
          'x-tidings-delivery': effectId,
          ...(webhook.secret && { 'x-tidings-secret': webhook.secret }),
        },
        deadlineMs,
      });
      return { status, problem: `status ${status}`, later: status >= 500 || laterStatuses.includes(status) };
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof AddressForbidden) return { status: null, problem: cause.message, later: false };
      return {
        status: null,
        problem: `no answer within ${deadlineMs / 1000} seconds, or no public address`,
        later: true,
      };
    }
  }
}
