export interface Issue {
  path: (string | number)[];
  message: string;
}

/** What would happen, and the code that carries it out; `approvalId` in the code's place asks a person. */
export interface ConfirmationQuestion {
  message: string;
  action: string;
  instruction: string;
  confirmationCode?: number;
  approvalId?: string;
  expiresAt?: string;
}

interface FailureBody {
  error?: string;
  code?: string;
  reason?: string;
  issues?: Issue[];
  retryAt?: string;
}

/** A refusal of the API, or an answer that never came (status 0). */
export class TidingsError extends Error {
  override readonly name: string = 'TidingsError';
  /** The class of the refusal, such as NOT_FOUND. */
  readonly code: string;
  /** The refusal itself, such as CAMPAIGN_NOT_DRAFT. */
  readonly reason: string | null;
  readonly issues: readonly Issue[];
  readonly retryAt: Date | null;

  constructor(
    readonly status: number,
    body: FailureBody,
    /** What to name when asking about the call. */
    readonly requestId: string | null,
    options?: { cause?: unknown },
  ) {
    super(body.error ?? `HTTP status ${status}`, options);
    this.code = body.code ?? 'UNKNOWN';
    this.reason = body.reason ?? null;
    this.issues = body.issues ?? [];
    this.retryAt = body.retryAt ? new Date(body.retryAt) : null;
  }
}

/** A call that must be confirmed first, and was not: nothing was done. */
export class ConfirmationRequired extends TidingsError {
  override readonly name: string = 'ConfirmationRequired';

  constructor(
    status: number,
    readonly question: ConfirmationQuestion,
    requestId: string | null,
  ) {
    super(status, { error: question.message, code: 'CONFIRMATION_REQUIRED' }, requestId);
  }
}
