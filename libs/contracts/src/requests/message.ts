import { z } from 'zod';
import { defineRequests } from '../define.js';
import { senderFacts } from './domain.js';

/** Requests that queue messages outside campaigns. */
export const messageRequests = defineRequests('delivery', {
  /**
   * Sends a message from the service to one recipient, from the organization's default sender and like a transactional
   * one. A repeated sourceKey changes nothing: the message is sent once.
   */
  queue_message: {
    input: z.strictObject({
      sourceKey: z.string().min(1).max(255),
      subscriberId: z.string(),
      email: z.string(),
      subject: z.string(),
      html: z.string(),
      text: z.string(),
    }),
    output: z.object({ messageId: z.string() }),
    errors: ['SENDER_MISSING', 'SENDER_DOMAIN_UNVERIFIED', 'PARAMETERS_INVALID'],
    transaction: 'own',
  },
  /** Sends one mail of the installation itself to a user; no statistics include it. A repeated sourceKey changes nothing. */
  queue_system_message: {
    input: z.strictObject({
      sourceKey: z.string().min(1).max(255),
      senderId: z.string(),
      email: z.string(),
      subject: z.string(),
      html: z.string(),
      text: z.string(),
    }),
    output: z.object({ messageId: z.string() }),
    errors: ['SENDER_MISSING', 'SENDER_DOMAIN_UNVERIFIED', 'PARAMETERS_INVALID'],
    transaction: 'own',
  },
  /**
   * Sends one copy of a campaign to a reviewer; statistics do not include it. The recipient guard counts it when it is
   * accepted. A repeated sourceKey changes nothing.
   */
  queue_test: {
    input: z.strictObject({
      sourceKey: z.string().min(1).max(255),
      senderId: z.string().nullable(),
      replyTo: z.string().nullable(),
      email: z.string(),
      subject: z.string(),
      html: z.string(),
      text: z.string(),
    }),
    output: z.object({ messageId: z.string() }),
    errors: ['SENDER_MISSING', 'SENDER_DOMAIN_UNVERIFIED', 'PARAMETERS_INVALID', 'RECIPIENT_GUARD_REACHED'],
    transaction: 'own',
  },
  /**
   * Sends one email of a workflow to several people, each message once for its sourceKey. `sendKey` names the email as its
   * version has it; an email that is not known yet is not accepted without `mail`.
   */
  queue_workflow_messages: {
    input: z.strictObject({
      sendKey: z.uuid(),
      subject: z.string(),
      messages: z
        .array(z.object({ sourceKey: z.string().min(1).max(255), subscriberId: z.string(), email: z.string() }))
        .max(500),
      mail: z
        .object({
          campaignId: z.string(),
          campaignName: z.string(),
          /** The compiled template of the content library, unchanged. */
          template: z.unknown(),
          sender: senderFacts,
          replyTo: z.string().nullable(),
          organizationName: z.string(),
        })
        .nullable(),
    }),
    output: z.object({ accepted: z.boolean() }),
    errors: ['QUOTA_REACHED'],
    transaction: 'write',
  },
});
