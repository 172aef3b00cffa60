import { createHmac } from 'node:crypto';
import type { ProviderReport } from '#contracts';
import { enhancedCodeIn, looseJson, sameSecret, signatureAgeMaxMs, wordsOf } from './webhook.js';
import type { JsonReader, Webhook } from './webhook.js';

/** Mailgun: HMAC-SHA256 of timestamp and token with the account's webhook signing key. */
export const mailgunWebhook =
  (signingKey: string): Webhook =>
  ({ body, now }) => {
    const event = looseJson(body.toString('utf8'));
    const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) =>
      event.at('signature', name).text(),
    );
    if (!timestamp || !token || !signature) return Promise.resolve(null);
    if (!(Math.abs(now.getTime() - Number(timestamp) * 1000) <= signatureAgeMaxMs)) return Promise.resolve(null);
    const expected = createHmac('sha256', signingKey).update(`${timestamp}${token}`).digest('hex');
    if (!sameSecret(signature.toLowerCase(), expected)) return Promise.resolve(null);
    return Promise.resolve({ kind: 'reports', reports: mailgunReports(event.at('event-data')) });
  };

function mailgunReports(event: JsonReader): ProviderReport[] {
  const traces = {
    returnPath: event.at('envelope', 'sender').text(),
    messageId: event.at('message', 'headers', 'message-id').text(),
    address: event.at('recipient').text(),
  };
  const status = event.at('delivery-status');
  const text = wordsOf(status.at('code').text(), status.at('message').text() || status.at('description').text());
  const permanent = event.at('severity').text() === 'permanent';
  switch (event.at('event').text()) {
    case 'delivered':
      return [{ kind: 'DELIVERED', ...traces }];
    case 'complained':
      return [{ kind: 'COMPLAINED', ...traces, feedbackType: 'abuse', provider: 'mailgun' }];
    case 'failed':
      if (!permanent) return [{ kind: 'DELAYED', ...traces, text }];
      return [
        {
          kind: 'BOUNCED',
          ...traces,
          text,
          status: enhancedCodeIn(status.at('enhanced-code').text()),
          type: event.at('reason').text() === 'bounce' ? 'HARD' : 'SOFT',
          category: 'OTHER',
        },
      ];
    default:
      return [];
  }
}
