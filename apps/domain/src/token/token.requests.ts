import type { ServiceBus } from '#bus';
import type { UsedIds } from '../used-ids.js';
import type { RequestHandlers, InTransaction, Repositories } from '../repositories.js';
import { issueToken } from './token.js';

interface Dependencies {
  repositories: Pick<Repositories, 'tokens' | 'organizations'>;
  inTransaction: InTransaction;
  bus: ServiceBus;
  use: UsedIds;
}

export const tokenRequestHandlers = ({
  repositories: { tokens, organizations },
  inTransaction,
  bus,
  use,
}: Dependencies): RequestHandlers<'authenticate_token' | 'create_token' | 'list_tokens' | 'revoke_token'> => ({
  authenticate_token: async ({ tokenHash }) => {
    const token = await tokens.findFacts(tokenHash);
    if (token) use.note(token.tokenId);
    return { token };
  },

  create_token: async ({ organizationId, ...facts }) => {
    const { secret, stored } = issueToken(facts);
    return { token: await tokens.insert(organizationId, stored), secret };
  },

  list_tokens: async ({ organizationId }) => {
    const { id } = await organizations.get(organizationId);
    return { tokens: await tokens.list(id) };
  },

  revoke_token: async ({ tokenId }) => {
    const { token, tokenHash } = await inTransaction((repositories) => repositories.tokens.updateRevoked(tokenId));
    // Broadcast after the commit, so that a service that reads the token again finds it revoked.
    bus.broadcast('token.changed', { tokenHash });
    return { token };
  },
});
