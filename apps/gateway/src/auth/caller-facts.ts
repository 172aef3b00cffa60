import { permits, rightsOf } from '#contracts';
import type { Scope, SessionFacts, TokenFacts } from '#contracts';
import { ToolError } from '#tool-call';
import type { Actor } from '#tool-call';

/** Calls a minute of a user, outside the organization's budget. */
const userRatePerMinute = 300;

/** The data of an authenticated caller: a token, or a user in one of their organizations. */
export interface CallerFacts extends Pick<TokenFacts, 'organizationId' | 'scopes' | 'plan' | 'quotas' | 'cell'> {
  actor: Actor;
  /** Null for a user. */
  tokenId: string | null;
  /** Whether the caller confirms its calls by a code; other callers need an approval. */
  selfConfirm: boolean;
  /** Whether calls of scope `send` become approvals. */
  asks: boolean;
  ratePerMinute: number;
  /** Null for a token. */
  session: { id: string; signedInAt: string; operator: boolean; role: string } | null;
}

/** A token as a caller. */
export const callerOfToken = ({ expiresAt: _end, ...token }: TokenFacts): CallerFacts => ({
  ...token,
  actor: { kind: 'TOKEN', id: token.tokenId },
  asks: !token.selfConfirm,
  session: null,
});

/** A user in one organization as a caller. */
export function callerOfSession(
  { sessionId, signedInAt, user }: SessionFacts,
  { organizationId, role, plan, quotas, cell }: SessionFacts['memberships'][number],
): CallerFacts {
  const { scopes, asks } = rightsOf[role];
  return {
    actor: { kind: 'USER', id: user.id },
    organizationId,
    scopes: [...scopes],
    plan,
    quotas,
    cell,
    tokenId: null,
    selfConfirm: true,
    asks,
    ratePerMinute: userRatePerMinute,
    session: { id: sessionId, signedInAt, operator: user.operator, role },
  };
}

/** Whether a caller may make calls of a scope, or ask for their approval. */
export const mayCall = ({ scopes, asks, session }: CallerFacts, scope: Scope): boolean =>
  permits(scopes, scope) || (scope === 'send' && asks && session !== null);

/** Milliseconds for which a sign-in counts as recent. */
const recentMs = 600_000;

/** @param call for the refusal. @throws ToolError REAUTHENTICATION_REQUIRED */
export function assertRecent({ signedInAt }: { signedInAt: string }, call: string): void {
  if (Date.now() - Date.parse(signedInAt) > recentMs) throw new ToolError('REAUTHENTICATION_REQUIRED', { call });
}

/** The bucket of the rate limit that a caller's calls count against. */
export const bucketOf = ({ actor, organizationId }: CallerFacts): string =>
  actor.kind === 'USER' ? actor.id : organizationId;
