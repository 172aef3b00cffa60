import { z } from 'zod';
import { timestamp } from '../common.js';

/** A raw open or click as the public links saw it, on its way to delivery; judged (person or machine) there. */
export const hit = z.object({
  hitId: z.string().describe('Makes a redelivery harmless'),
  kind: z.enum(['open', 'click']),
  organizationId: z.string(),
  messageId: z.string(),
  /** YYYY-MM of the send: which partition holds the message. */
  period: z.string(),
  linkNumber: z.int().nullable(),
  url: z.string().nullable(),
  at: timestamp,
  userAgent: z.string().nullable(),
});
export type Hit = z.infer<typeof hit>;
