import { createHmac } from 'node:crypto';
import { AddressForbidden, PublicFetcher } from '#public-fetch';

export interface Webhook {
  url: string;
  secret?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** What became of a call: the status, or null when nobody answered; what is wrong otherwise; whether a later try may do better. */
export interface WebhookAnswer {
  status: number | null;
  problem: string;
  later: boolean;
}

const deadlineMs = 15_000;
/** Request Timeout, Too Early and Too Many Requests ask for another try by what they mean (RFC 9110, 8470 and 6585). */
const laterStatuses = [408, 425, 429];

/** Tells addresses outside what happened: public ones only, signed, and never following where they redirect to. */
export class WebhookClient {
  readonly #fetcher: PublicFetcher;

  /** @param signingKey signs for organizations, each with a key of its own */
  constructor(
    options: { allowed: ReadonlySet<string>; dnsServers?: readonly string[] },
    private readonly signingKey: Buffer,
    private readonly clock: () => number = Date.now,
  ) {
    this.#fetcher = new PublicFetcher(options);
  }

  /**
   * Posts a body as JSON. `X-Tidings-Signature` is `t=<seconds>,v1=<hex>`, HMAC-SHA256 of `<seconds>.<body>`.
   * @param effectId the same for every try, so that receivers can tell repeats
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
