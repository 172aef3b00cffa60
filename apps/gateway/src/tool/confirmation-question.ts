import { statusOfCode } from '#contracts';
import type { ConfirmationDecision, Description } from '#tool-call';

type Asking = Extract<ConfirmationDecision, { kind: 'ask' }>;

/** The body that asks for a confirmation (API text, Errors 2). A voided code is not told. */
export interface ConfirmationQuestion {
  success: false;
  error: 'CONFIRMATION_REQUIRED';
  code: 'CONFIRMATION_REQUIRED';
  message: string;
  action: string;
  confirmationCode?: number;
  instruction: string;
  expiresAt?: string;
}

export const questionStatus = statusOfCode.CONFIRMATION_REQUIRED;

/** Puts what would happen and what to do about it into the body of the answer. */
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
