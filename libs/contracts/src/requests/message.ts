import { z } from 'zod';
import { defineRequests } from '../define.js';
import { senderFacts } from './domain.js';

export const messageRequests = defineRequests('delivery', {
  /**
   * Sends a message from the service to one recipient, once for its sourceKey, from the organization's default sender
   * and like a transactional one.
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
  /** Sends one mail of the installation itself to a user, once for its sourceKey; no statistics include it. */
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
   * Sends one copy of a campaign to a reviewer, once for its sourceKey; no statistics include it. The recipient guard
   * counts it when it is accepted.
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
