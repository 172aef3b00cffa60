import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';

export const trackingRequests = defineRequests('delivery', {
  /** What the online version of a message shows; null when the message or its content is gone. */
  view_message: {
    input: z.strictObject({ messageId: z.string(), period: z.string() }),
    output: z.object({ html: z.string().nullable() }),
    errors: ['MESSAGE_IN_PROGRESS'],
    transaction: 'own',
  },
  /** Whether a machine made a click, by the rules that hits are judged by; messageId null: by its name alone. */
  judge_click: {
    input: z.strictObject({
      messageId: z.string().nullable(),
      period: z.string(),
      at: timestamp,
      userAgent: z.string().nullable(),
    }),
    output: z.object({ machine: z.boolean() }),
    errors: [],
    transaction: 'read',
  },
});
