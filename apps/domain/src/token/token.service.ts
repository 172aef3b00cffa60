import type { ServiceBus } from '#bus';
import { permits, rightsOf } from '#contracts';
import type { Role, Scope } from '#contracts';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { roleOf } from '../member/caller-role.js';
import type { InTransaction, Repositories } from '../repositories.js';
import type { ApiToken } from './token.js';
import { mayHold } from './token.repository.js';

export interface TokenChangeDependencies {
  inTransaction: InTransaction;
  bus: ServiceBus;
}

/** Changes a token in a transaction, then makes gateways read it again: the broadcast follows the commit. */
export async function changeToken<T>(
  { inTransaction, bus }: TokenChangeDependencies,
  tokenId: string,
  work: (repositories: Repositories) => Promise<T>,
): Promise<T> {
  const { result, hashes } = await inTransaction(async (repositories) => ({
    result: await work(repositories),
    hashes: await repositories.tokens.listHashes(tokenId),
  }));
  for (const tokenHash of hashes) bus.broadcast('token.changed', { tokenHash });
  return result;
}

export const revokeToken = (parts: TokenChangeDependencies, tokenId: string): Promise<ApiToken> =>
  changeToken(parts, tokenId, ({ tokens }) => tokens.updateRevoked(tokenId));

/** The tokens that a caller reaches; null for all of the organization. */
export function reachOf({ actor, tokenId, scopes }: Caller): { userId?: string; tokenId?: string } | null {
  if (permits(scopes, 'admin')) return null;
  return actor?.kind === 'USER' ? { userId: actor.id } : { tokenId: tokenId ?? actor?.id ?? '' };
}

/** A token that the caller reaches, locked until the transaction ends. */
export async function reachableToken(
  { tokens }: Pick<Repositories, 'tokens'>,
  tokenId: string,
  caller: Caller,
): Promise<ApiToken> {
  const token = await tokens.lockById(caller.organizationId, tokenId);
  const reach = reachOf(caller);
  const isReached =
    reach === null || (token?.kind === 'PERSONAL' && token.createdBy?.id === reach.userId) || tokenId === reach.tokenId;
  if (!token || !isReached) throw new ToolError('TOKEN_NOT_FOUND', { id: tokenId });
  return token;
}

export function assertInForce({ id, revokedAt, expiresAt }: ApiToken, now: Date): void {
  if (revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()))
    throw new ToolError('TOKEN_ENDED', { id });
}

/**
 * Who makes a token, and in which role: a token makes no tokens, and the operator's command none of its own.
 * @returns as userId null for the operator's command
 */
export async function makerOf(
  repositories: Pick<Repositories, 'members'>,
  caller: Caller,
  kind: ApiToken['kind'],
): Promise<{ userId: string | null; role: Role }> {
  const { actor } = caller;
  const isOperator = actor?.kind === 'OPERATOR' && kind === 'ORGANIZATION';
  if (actor?.kind !== 'USER' && !isOperator) throw new ToolError('USER_REQUIRED', { call: 'create_api_token' });
  return { userId: actor.kind === 'USER' ? actor.id : null, role: await roleOf(repositories, caller) };
}

/** @throws ToolError SCOPE_TOO_HIGH for a scope that a maker in this role may not give */
export function assertMayHold(scopes: readonly Scope[], role: Role): void {
  for (const scope of scopes) {
    const why =
      scope === 'approve'
        ? 'only members approve'
        : scope === 'admin' && role !== 'owner'
          ? 'only an owner may grant it'
          : mayHold(rightsOf[role], scope)
            ? null
            : `your role ${role} does not have it`;
    if (why !== null) throw new ToolError('SCOPE_TOO_HIGH', { scope, why });
  }
}
