import { permits } from '#contracts';
import type { SessionFacts, TokenFacts } from '#contracts';
import { lacksFactor } from './caller-facts.js';

/** The credential of a stream of live updates: a token, or a session for all organizations of its user. */
export interface LiveCredential {
  callerId: string;
  /** Whose streams are counted together: a user, with their PERSONAL tokens, or a token. */
  memberId: string;
  sessionId: string | null;
  tokenHash: string | null;
  /** The toolsets that bound a token; null for none. */
  toolsets: readonly string[] | null;
  organizations: readonly { id: string; number: number | null }[];
  /** Milliseconds since the epoch; null for never. */
  expiresAt: number | null;
  /** The credential as it is now; null when it has ended. */
  find(): Promise<LiveCredential | null>;
}

export interface CredentialChange {
  tokenHash?: string;
  organizationId?: string;
  userId?: string;
  sessionIds?: readonly string[];
  isEnd?: boolean;
}

export const concerns = (
  { tokenHash, organizationId, userId, sessionIds = [] }: CredentialChange,
  credential: LiveCredential,
): boolean =>
  (tokenHash !== undefined && credential.tokenHash === tokenHash) ||
  credential.memberId === userId ||
  credential.organizations.some(({ id }) => id === organizationId) ||
  (credential.sessionId !== null && sessionIds.includes(credential.sessionId));

/** @returns null for a token that may not read */
export const liveCredentialOfToken = (
  { tokenId, userId, organizationId, scopes, toolsets, expiresAt }: TokenFacts,
  tokenHash: string,
  find: LiveCredential['find'],
): LiveCredential | null =>
  permits(scopes, 'read')
    ? {
        callerId: tokenId,
        memberId: userId ?? tokenId,
        toolsets: toolsets ?? null,
        sessionId: null,
        tokenHash,
        organizations: [{ id: organizationId, number: null }],
        expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
        find,
      }
    : null;

/** Every role may read. */
export const liveCredentialOfSession = (
  { sessionId, user, expiresAt, memberships }: SessionFacts,
  find: LiveCredential['find'],
): LiveCredential => ({
  callerId: user.id,
  memberId: user.id,
  toolsets: null,
  sessionId,
  tokenHash: null,
  organizations: memberships
    .filter((membership) => !lacksFactor({ user }, membership))
    .map(({ organizationId: id, number }) => ({ id, number })),
  expiresAt: Date.parse(expiresAt),
  find,
});
