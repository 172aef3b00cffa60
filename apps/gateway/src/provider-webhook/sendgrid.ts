import { createPublicKey, verify } from 'node:crypto';
import type { ProviderReport } from '#contracts';
import { enhancedCodeIn, looseJson, signatureAgeMaxMs, wordsOf } from './webhook.js';
import type { JsonReader, Webhook } from './webhook.js';

/** SendGrid: ECDSA over timestamp and body with the key of the signed event webhook (base64 of its SPKI). */
export function sendgridWebhook(publicKey: string): Webhook {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return ({ headers, body, now }) => {
    const signature = String(headers['x-twilio-email-event-webhook-signature'] ?? '');
    const timestamp = String(headers['x-twilio-email-event-webhook-timestamp'] ?? '');
    if (!(Math.abs(now.getTime() - Number(timestamp) * 1000) <= signatureAgeMaxMs)) return Promise.resolve(null);
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    if (!verify('sha256', signed, key, Buffer.from(signature, 'base64'))) return Promise.resolve(null);
    return Promise.resolve({
      kind: 'reports',
      reports: looseJson(body.toString('utf8')).list().flatMap(sendgridReports),
    });
  };
}

function sendgridReports(event: JsonReader): ProviderReport[] {
  const traces = { returnPath: null, messageId: event.at('smtp-id').text(), address: event.at('email').text() };
  const text = wordsOf(event.at('reason').text() || event.at('response').text());
  switch (event.at('event').text()) {
    case 'delivered':
      return [{ kind: 'DELIVERED', ...traces }];
    case 'deferred':
      return [{ kind: 'DELAYED', ...traces, text }];
    case 'bounce': {
      const blocked = event.at('type').text() === 'blocked';
      const made = blocked
        ? ({ type: 'SOFT', category: 'BLOCKED' } as const)
        : ({ type: 'HARD', category: 'OTHER' } as const);
      return [{ kind: 'BOUNCED', ...traces, text, status: enhancedCodeIn(event.at('status').text()), ...made }];
    }
    case 'dropped':
      return [
        {
          kind: 'BOUNCED',
          ...traces,
          text,
          status: enhancedCodeIn(event.at('status').text()),
          type: 'SOFT',
          category: 'POLICY',
        },
      ];
    case 'spamreport':
      return [{ kind: 'COMPLAINED', ...traces, feedbackType: 'abuse', provider: 'sendgrid' }];
    default:
      return [];
  }
}
