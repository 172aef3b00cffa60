import { hasBasicSecret } from './webhook.js';
import type { Webhook } from './webhook.js';
import { mailgunWebhook } from './mailgun.js';
import { postmarkWebhook } from './postmark.js';
import { sendgridWebhook } from './sendgrid.js';
import { sesWebhook } from './ses.js';

export interface WebhookSecrets {
  WEBHOOK_SES_TOPIC_ARN?: string | undefined;
  WEBHOOK_POSTMARK_SECRET?: string | undefined;
  WEBHOOK_MAILGUN_KEY?: string | undefined;
  WEBHOOK_SENDGRID_KEY?: string | undefined;
  WEBHOOK_MAIL_SECRET?: string | undefined;
}

/** `mail`: bounces that an operator's mail server pipes here. */
export function makeWebhooks(
  secrets: WebhookSecrets,
  fetchText: (url: string) => Promise<string>,
): ReadonlyMap<string, Webhook> {
  const webhooks = new Map<string, Webhook>();
  const { WEBHOOK_SES_TOPIC_ARN: topicArn, WEBHOOK_MAIL_SECRET: mailSecret } = secrets;
  if (topicArn) webhooks.set('ses', sesWebhook({ topicArn, fetchCertificate: fetchText }));
  if (secrets.WEBHOOK_POSTMARK_SECRET) webhooks.set('postmark', postmarkWebhook(secrets.WEBHOOK_POSTMARK_SECRET));
  if (secrets.WEBHOOK_MAILGUN_KEY) webhooks.set('mailgun', mailgunWebhook(secrets.WEBHOOK_MAILGUN_KEY));
  if (secrets.WEBHOOK_SENDGRID_KEY) webhooks.set('sendgrid', sendgridWebhook(secrets.WEBHOOK_SENDGRID_KEY));
  if (mailSecret) {
    webhooks.set('mail', (request) =>
      Promise.resolve(hasBasicSecret(request, mailSecret) ? { kind: 'mail', raw: request.body } : null),
    );
  }
  return webhooks;
}
