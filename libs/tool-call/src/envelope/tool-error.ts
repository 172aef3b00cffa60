import { reasons } from '#contracts';
import type { ErrorCode, Issue, Reason, ReasonParams } from '#contracts';

/** An expected refusal, one reason of the catalogue; everything else thrown is a defect. */
export class ToolError<R extends Reason = Reason> extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAt: Date | undefined;
  readonly limit: { limit: number; used: number } | undefined;

  /**
   * @param params what the reason's sentence needs
   * @param options `issues`: problems by parameter path; `cause`: what operators should see in the log; `retryAt`: from
   * when on a repeat makes sense
   */
  constructor(
    readonly reason: R,
    params: ReasonParams<R>,
    options: { issues?: readonly Issue[]; cause?: unknown; retryAt?: Date } = {},
  ) {
    const entry = reasons[reason];
    super((entry.message as (p: ReasonParams<R>) => string)(params), { cause: options.cause });
    this.code = entry.code;
    this.issues = options.issues;
    this.retryAt = options.retryAt;
    if (reason === 'LIMIT_REACHED') {
      const { limit, used } = params as ReasonParams<'LIMIT_REACHED'>;
      this.limit = { limit, used };
    }
  }
}
