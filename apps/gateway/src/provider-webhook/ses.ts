import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { ProviderReport } from '#contracts';
import { enhancedCodeIn, looseJson, wordsOf } from './webhook.js';
import type { JsonReader, Webhook } from './webhook.js';

export interface SesWebhookOptions {
  /** The only topic accepted; a signature proves Amazon, not the owner of the topic. */
  topicArn: string;
  fetchCertificate: (url: string) => Promise<string>;
}

/**
 * The hosts of Amazon SNS, which serve certificates and confirmations. The form of the region matters:
 * `sns.s3-us-west-2` is the bucket of an Amazon customer.
 */
const snsHost = String.raw`^https://sns\.[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?/`;
const snsAddress = new RegExp(snsHost);
const certificateAddress = new RegExp(String.raw`${snsHost}SimpleNotificationService-[0-9a-f]{1,64}\.pem$`);
const signedFields: Record<string, string[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const certificatesMax = 20;

/** Amazon SES by way of SNS: an RSA signature over chosen fields (version 1 with SHA-1, version 2 with SHA-256). */
export function sesWebhook({ topicArn, fetchCertificate }: SesWebhookOptions): Webhook {
  const keys = new Map<string, Promise<KeyObject>>();
  const keyOf = (url: string): Promise<KeyObject> => {
    const known = keys.get(url);
    if (known) return known;
    if (keys.size >= certificatesMax) keys.clear();
    const key = fetchCertificate(url).then((pem) => createPublicKey(pem));
    keys.set(url, key);
    // A failed request is not cached.
    key.catch(() => keys.delete(url));
    return key;
  };
  return async ({ body }) => {
    const message = looseJson(body.toString('utf8'));
    const type = message.at('Type').text() ?? '';
    const fields = signedFields[type];
    const url = message.at('SigningCertURL').text() ?? '';
    if (!fields || message.at('TopicArn').text() !== topicArn || !certificateAddress.test(url)) return null;
    const algorithm = { '1': 'sha1', '2': 'sha256' }[message.at('SignatureVersion').text() ?? ''];
    if (algorithm === undefined) return null;
    const signed = fields
      .flatMap((name) => {
        const value = message.at(name).text();
        return value === null ? [] : [`${name}\n${value}\n`];
      })
      .join('');
    const signature = Buffer.from(message.at('Signature').text() ?? '', 'base64');
    if (!verify(algorithm, Buffer.from(signed), await keyOf(url), signature)) return null;
    if (type === 'Notification') {
      return { kind: 'reports', reports: sesReports(looseJson(message.at('Message').text() ?? 'null')) };
    }
    const confirm = message.at('SubscribeURL').text() ?? '';
    return snsAddress.test(confirm) ? { kind: 'confirm', url: confirm } : null;
  };
}

function sesReports(event: JsonReader): ProviderReport[] {
  const mail = event.at('mail');
  const header = (name: string) =>
    mail
      .at('headers')
      .list()
      .find((one) => one.at('name').text()?.toLowerCase() === name)
      ?.at('value')
      .text() ?? null;
  const about = (address: string | null) => ({
    returnPath: mail.at('source').text(),
    address,
    messageId: header('message-id') ?? mail.at('commonHeaders', 'messageId').text(),
  });
  const named = (list: JsonReader) => list.list().map((one) => ({ one, traces: about(one.at('emailAddress').text()) }));
  switch (event.at('notificationType').text() ?? event.at('eventType').text()) {
    case 'Delivery':
      return event
        .at('delivery', 'recipients')
        .list()
        .map((one) => ({ kind: 'DELIVERED', ...about(one.text()) }));
    case 'DeliveryDelay':
      return named(event.at('deliveryDelay', 'delayedRecipients')).map(({ one, traces }) => ({
        kind: 'DELAYED',
        ...traces,
        text: wordsOf(one.at('diagnosticCode').text(), event.at('deliveryDelay', 'delayType').text()),
      }));
    case 'Complaint':
      // Feedback types of RFC 5965, null where the provider names none: only abuse is a complaint.
      if ((event.at('complaint', 'complaintFeedbackType').text() ?? 'abuse') !== 'abuse') return [];
      return named(event.at('complaint', 'complainedRecipients')).map(({ traces }) => ({
        kind: 'COMPLAINED',
        ...traces,
        provider: 'ses',
        feedbackType: event.at('complaint', 'complaintFeedbackType').text(),
      }));
    case 'Bounce':
      return named(event.at('bounce', 'bouncedRecipients')).map(({ one, traces }) => ({
        kind: 'BOUNCED',
        ...traces,
        text: wordsOf(one.at('diagnosticCode').text()),
        status: enhancedCodeIn(one.at('status').text()),
        ...sesBounce(event.at('bounce')),
      }));
    default:
      return [];
  }
}

const sesSubtypes: Record<string, 'MAILBOX_FULL' | 'CONTENT'> = {
  MailboxFull: 'MAILBOX_FULL',
  MessageTooLarge: 'CONTENT',
  ContentRejected: 'CONTENT',
  AttachmentRejected: 'CONTENT',
};

function sesBounce(bounce: JsonReader) {
  const subtype = bounce.at('bounceSubType').text() ?? '';
  if (bounce.at('bounceType').text() === 'Permanent')
    return { type: 'HARD' as const, category: 'NO_SUCH_USER' as const };
  return { type: 'SOFT' as const, category: sesSubtypes[subtype] ?? ('TRANSIENT' as const) };
}
