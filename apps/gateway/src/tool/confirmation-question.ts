import { z } from 'zod';
import { statusOfCode } from '#contracts';
import type { Approval } from '#contracts';
import type { ConfirmationDecision, Description } from '#tool-call';

type Asking = Extract<ConfirmationDecision, { kind: 'ask' }>;

/** The body that asks for a confirmation (API text, Errors 2); it never contains a voided code. */
export const confirmationQuestionSchema = z.object({
  success: z.literal(false),
  error: z.literal('CONFIRMATION_REQUIRED'),
  code: z.literal('CONFIRMATION_REQUIRED'),
  message: z.string().describe('What will happen, and to how many'),
  action: z.string(),
  confirmationCode: z.int().optional(),
  approvalId: z.string().optional().describe('In the place of a code: a person approves by this id'),
  instruction: z.string().describe('How to carry it out'),
  expiresAt: z.iso.datetime().optional(),
});
export type ConfirmationQuestion = z.input<typeof confirmationQuestionSchema>;

export const questionStatus = statusOfCode.CONFIRMATION_REQUIRED;

export function confirmationQuestion({ action, message }: Description, { live, note }: Asking): ConfirmationQuestion {
  const fixed = { success: false, error: 'CONFIRMATION_REQUIRED', code: 'CONFIRMATION_REQUIRED' } as const;
  if (note === 'voided') {
    const instruction = 'That was the third wrong code: it is void. Repeat the request without a code for a new one.';
    return { ...fixed, message, action, instruction };
  }
  const expiresAt = new Date(live.until).toISOString();
  const repeat = `repeat exactly this request with "confirmationCode": ${live.code} before ${expiresAt}.`;
  const instruction = {
    new: `To carry it out, ${repeat}`,
    again: `This request was asked before and its code is still open: to carry it out, ${repeat}`,
    wrong: `That code does not belong to exactly this request, or its time is over. To carry it out, ${repeat}`,
  }[note];
  return { ...fixed, message, action, confirmationCode: live.code, instruction, expiresAt };
}

/** The same for a token that may not confirm its own calls: a person must approve. */
export const approvalQuestion = ({ id, action, message, expiresAt }: Approval): ConfirmationQuestion => ({
  success: false,
  error: 'CONFIRMATION_REQUIRED',
  code: 'CONFIRMATION_REQUIRED',
  message,
  action,
  approvalId: id,
  instruction: `A person must approve this: in the dashboard, by decide_approval, or with npm run tidings -- approvals approve ${id}. Approving carries it out; repeat exactly this request to get its result. Until then it answers this again.`,
  expiresAt,
});
