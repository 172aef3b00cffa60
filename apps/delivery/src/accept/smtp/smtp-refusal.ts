import { RemoteFailure, ToolError } from '#tool-call';

/** A refusal as SMTP words it (RFC 5321 4.2, RFC 3463). */
export class SmtpRefusal extends Error {
  constructor(
    readonly responseCode: number,
    readonly status: string,
    text: string,
  ) {
    super(`${status} ${text.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 400)}`);
  }
}

const codes: Record<string, [number, string]> = {
  RECIPIENT_GUARD: [450, '4.7.1'],
  RATE_LIMITED: [451, '4.7.1'],
  PLAN_LIMIT_REACHED: [451, '4.7.1'],
  REFUSED: [550, '5.7.1'],
  CONFLICT: [550, '5.7.1'],
  VALIDATION_ERROR: [550, '5.6.0'],
};

/** An internal error is temporary and reveals no details. */
export function smtpRefusalOf(error: unknown): SmtpRefusal {
  if (error instanceof SmtpRefusal) return error;
  const failure = error instanceof ToolError ? error : error instanceof RemoteFailure ? error.failure : null;
  const known = failure && codes[failure.code];
  return known
    ? new SmtpRefusal(known[0], known[1], failure.message)
    : new SmtpRefusal(451, '4.3.0', 'Trouble on our side; try again later');
}
