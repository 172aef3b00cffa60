import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';

export const mailHold = z.object({ since: timestamp, reason: z.string(), by: z.string() });
export type MailHold = z.infer<typeof mailHold>;

const state = z.object({
  hold: mailHold.nullable(),
  /** Single messages that are due (counted to 10,000), and campaign sends that run. */
  waiting: z.object({ messages: z.int(), sends: z.int() }),
});

/** The brake of an installation: while mail is held, calls succeed and messages stay queued. */
export const mailHoldRequests = defineRequests('delivery', {
  get_mail_hold: { input: z.strictObject({}), output: state, errors: [], transaction: 'read' },
  /** Holds mail; if it is held already, replaces the reason. */
  hold_mail: {
    input: z.strictObject({ reason: z.string().min(1).max(500), by: z.string().min(1).max(200) }),
    output: state,
    errors: [],
    transaction: 'write',
  },
  release_mail: { input: z.strictObject({}), output: state, errors: [], transaction: 'write' },
});
