import type { ProviderReport } from '#contracts';
import { hasBasicSecret, looseJson, wordsOf } from './webhook.js';
import type { JsonReader, Webhook } from './webhook.js';

/** Postmark signs nothing: its webhooks carry the user and password of their configured address. */
export const postmarkWebhook =
  (secret: string): Webhook =>
  (request) =>
    Promise.resolve(
      hasBasicSecret(request, secret)
        ? { kind: 'reports', reports: postmarkReports(looseJson(request.body.toString('utf8'))) }
        : null,
    );

const hardTypes = new Set(['HardBounce', 'BadEmailAddress', 'ManuallyDeactivated']);
const softTypes: Record<string, 'BLOCKED' | 'CONTENT' | 'TRANSIENT' | 'POLICY'> = {
  Blocked: 'BLOCKED',
  SpamNotification: 'CONTENT',
  VirusNotification: 'CONTENT',
  DMARCPolicy: 'POLICY',
  Transient: 'TRANSIENT',
  SoftBounce: 'TRANSIENT',
  DnsError: 'TRANSIENT',
  SMTPApiError: 'TRANSIENT',
};
/** Postmark retries, or the mail was an automatic reply. */
const notBounces = new Set([
  'AutoResponder',
  'AddressChange',
  'ChallengeVerification',
  'Subscribe',
  'Unsubscribe',
  'OpenRelayTest',
]);

function postmarkReports(event: JsonReader): ProviderReport[] {
  const content = event.at('Content').text() ?? '';
  const traces = {
    returnPath: /b\.[0-9a-z]{62}@[^\s<>"';,]+/i.exec(content)?.[0] ?? event.at('Metadata', 'return-path').text(),
    messageId: /^Message-ID:\s*(<[^<>\s]+>)/im.exec(content)?.[1] ?? event.at('Metadata', 'message-id').text(),
    address: event.at('Email').text() ?? event.at('Recipient').text(),
  };
  const type = event.at('Type').text() ?? '';
  const text = wordsOf(event.at('Details').text(), event.at('Description').text());
  switch (event.at('RecordType').text()) {
    case 'Delivery':
      return [{ kind: 'DELIVERED', ...traces }];
    case 'SpamComplaint':
      return [{ kind: 'COMPLAINED', ...traces, feedbackType: 'abuse', provider: 'postmark' }];
    case 'Bounce': {
      if (type === 'SpamComplaint')
        return [{ kind: 'COMPLAINED', ...traces, feedbackType: 'abuse', provider: 'postmark' }];
      if (notBounces.has(type)) return [];
      const made = hardTypes.has(type)
        ? ({ type: 'HARD', category: 'NO_SUCH_USER' } as const)
        : ({ type: 'SOFT', category: softTypes[type] ?? 'OTHER' } as const);
      return [{ kind: 'BOUNCED', ...traces, text, status: null, ...made }];
    }
    default:
      return [];
  }
}
