import { permits, rightsOf } from '#contracts';
import type { OrganizationFacts, Scope, SessionFacts, TokenFacts } from '#contracts';
import { ToolError } from '#tool-call';
import type { Actor } from '#tool-call';

/** Calls a minute of a user, outside the organization's budget. */
export const userRatePerMinute = 300;

/** The data of an authenticated caller: a token, a user in one of their organizations, or the operator's command. */
export interface CallerFacts extends Pick<TokenFacts, 'organizationId' | 'scopes' | 'plan' | 'quotas' | 'cell'> {
  actor: Actor;
  /** Null for a user and the operator. */
  tokenId: string | null;
  /** Whether the caller confirms its calls by a code; other callers need an approval. */
  selfConfirm: boolean;
  asks: boolean;
  ratePerMinute: number;
  toolsets: readonly string[] | null;
  ip: string | null;
  /** Null for a token and the operator. */
  session: { id: string; signedInAt: string; operator: boolean; role: string } | null;
}

export const callerOfToken = (
  { expiresAt: _end, userId: _user, asks, toolsets, ...token }: TokenFacts,
  ip: string | null = null,
): CallerFacts => ({
  ...token,
  actor: { kind: 'TOKEN', id: token.tokenId },
  asks: asks === true || !token.selfConfirm,
  toolsets: toolsets ?? null,
  ip,
  session: null,
});

export function callerOfSession(
  { sessionId, signedInAt, user }: SessionFacts,
  { organizationId, role, plan, approvals, quotas, cell }: SessionFacts['memberships'][number],
  ip: string | null = null,
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
    asks: asks || (approvals === 'ALL' && permits(scopes, 'send')),
    ratePerMinute: userRatePerMinute,
    toolsets: null,
    ip,
    session: { id: sessionId, signedInAt, operator: user.operator, role },
  };
}

/** Whether a member has still to set up the second factor that the organization requires. */
export const lacksFactor = (
  { user }: Pick<SessionFacts, 'user'>,
  { requireSecondFactor }: SessionFacts['memberships'][number],
): boolean => requireSecondFactor === true && user.secondFactor !== true;

/** The operator's command in one organization as a caller, with the rights of an owner. */
export const callerOfOperator = ({ id, plan, quotas, cell }: OrganizationFacts): CallerFacts => ({
  actor: { kind: 'OPERATOR', id: 'operator' },
  organizationId: id,
  scopes: [...rightsOf.owner.scopes],
  plan,
  quotas,
  cell,
  tokenId: null,
  selfConfirm: true,
  asks: false,
  ratePerMinute: Number.MAX_SAFE_INTEGER,
  toolsets: null,
  ip: null,
  session: null,
});

/** Whether a caller may make calls of a scope, or ask for their approval. */
export const mayCall = ({ scopes, asks, session }: CallerFacts, scope: Scope): boolean =>
  permits(scopes, scope) || (scope === 'send' && asks && session !== null);

const recentMs = 600_000;

/** @param call for the refusal. @throws ToolError REAUTHENTICATION_REQUIRED */
export function assertRecent({ signedInAt }: { signedInAt: string }, call: string): void {
  if (Date.now() - Date.parse(signedInAt) > recentMs) throw new ToolError('REAUTHENTICATION_REQUIRED', { call });
}

export const bucketOf = ({ actor, organizationId }: CallerFacts): string =>
  actor.kind === 'USER' ? actor.id : organizationId;
