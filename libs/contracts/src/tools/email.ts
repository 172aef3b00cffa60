import { z } from 'zod';
import { emailText, idText, oneAddress, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';

/** An address with or without a display name; whether it is one is decided by the service. */
const mailbox = z.string().trim().min(1).max(700);
const oneMailbox = z.union([mailbox, z.array(mailbox).length(1)], { error: oneAddress });
/** Readers cut mail far below this, and reading it takes time. */
const body = z.string().max(500_000);

const tag = z.strictObject({ name: z.string().trim().min(1).max(256), value: z.string().max(256) });

export const emailTools = defineTools('delivery', {
  send_email: {
    summary:
      'Sends one transactional email, such as a receipt or a password reset, to one recipient and optional cc recipients.',
    category: 'email',
    scope: 'send',
    confirm: true,
    rules: [
      'from is a mailbox on a VERIFIED domain of the organization; a subdomain must be verified itself. Display names are allowed.',
      'Exactly one of html and tiptap is required. html is sent unchanged. tiptap is a rich-text document (object or JSON text). Its variables, and those of subject and preview, are filled for the recipient in to.',
      'Without text, a text part is generated from the HTML; an empty string omits it.',
      'content, contentType and markdown are not parameters of this tool.',
      'reply_to and replyTo have the same meaning; if both are given, they must agree.',
      'At most 100 headers are allowed. Headers and addresses may have at most 10,000 characters in total.',
      'Headers that Tidings writes itself are refused (From, To, Subject, Date, Message-ID, DKIM-Signature, Content-*, List-Unsubscribe …).',
      'Unknown recipients become TRANSACTIONAL subscribers. UNSUBSCRIBED recipients receive transactional mail; BOUNCED, COMPLAINED and BANNED ones are refused.',
      'A real mailbox receives at most 5 messages in 10 minutes and 20 in 24 hours. Test addresses are exempt, and mail to them is simulated. If one recipient is refused, nothing is sent.',
      'idempotencyKey works like the header Idempotency-Key, for 24 hours. The same request returns the first result; another request with the same key is refused.',
    ],
    input: z.strictObject({
      from: mailbox,
      to: oneMailbox,
      subject: z.string().trim().min(1).max(998),
      html: body.min(1).optional(),
      tiptap: z.unknown().optional(),
      text: body.optional(),
      reply_to: oneMailbox.optional(),
      replyTo: oneMailbox.optional(),
      cc: z.array(mailbox).max(49).optional(),
      headers: z.record(z.string().max(76), z.string().max(998)).optional(),
      tags: z.array(tag).max(50).optional(),
      preview: z.string().trim().max(998).optional(),
      idempotencyKey: z
        .string()
        .min(1)
        .max(255)
        .regex(/^\P{Cc}*$/u, 'must not hold control characters')
        .optional(),
    }),
    output: z.object({
      id: z.string(),
      status: z.literal('QUEUED'),
      messageId: z.string().describe('The Message-ID header, with its angle brackets'),
      warnings: z.array(z.string()).optional(),
    }),
    errors: [
      'SENDER_DOMAIN_UNVERIFIED',
      'RECIPIENT_SUPPRESSED',
      'RECIPIENT_GUARD_REACHED',
      'QUOTA_REACHED',
      'CONTENT_INVALID',
      'FILTER_TARGET_GONE',
    ],
    transaction: 'own',
    core: true,
    brief:
      'Sends one transactional email, such as a receipt or a password reset, to one recipient and optional cc recipients. from is a mailbox on a VERIFIED domain of the organization. Exactly one of html and tiptap (a rich-text document) is required. Unknown recipients become TRANSACTIONAL subscribers; BOUNCED, COMPLAINED and BANNED ones are refused.',
    keywords:
      'one mail to one person, receipt, password reset, order confirmation, invoice, message right now, notify a customer, transactional, write to',
    example: {
      from: 'Garden Shop <hello@shop.example>',
      to: 'grace@example.com',
      subject: 'Your receipt',
      html: '<p>Thank you for your order.</p>',
      tags: [{ name: 'kind', value: 'receipt' }],
    },
  },
  get_subscriber_emails: {
    summary: 'Lists the emails sent to one subscriber, newest first, with their delivery status.',
    category: 'subscribers',
    scope: 'read',
    rules: [
      'Either subscriberId or email is required; both are allowed only if they name the same subscriber.',
      'PENDING includes messages that are queued, in progress, deferred or in doubt. BOUNCED includes messages rejected at once. Skipped messages are not listed.',
    ],
    input: z.strictObject({
      subscriberId: idText.optional(),
      email: emailText.optional(),
      status: z.enum(['PENDING', 'SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED']).optional(),
      limit: pageSize(1000, 20),
    }),
    output: z.object({
      emails: z.array(
        z.object({
          id: z.string(),
          campaignId: z.string().nullable(),
          campaignName: z.string().nullable(),
          subject: z.string(),
          status: z.enum(['PENDING', 'SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED']),
          simulated: z.boolean().describe('Sent to a test address: the mail was simulated'),
          tags: z.array(z.object({ name: z.string(), value: z.string() })),
          sentAt: timestamp.nullable(),
          deliveredAt: timestamp.nullable(),
          openedAt: timestamp.nullable(),
          clickedAt: timestamp.nullable(),
        }),
      ),
    }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'own',
    keywords:
      'which mails did a person get, messages sent to, received, inbox, did it arrive, delivered, opened by one person, what have we mailed to someone, sent so far',
    example: { email: 'ada@example.com' },
  },
});
