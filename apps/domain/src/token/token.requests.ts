import type { UsedIds } from '../used-ids.js';
import type { RequestHandlers, Repositories } from '../repositories.js';
import { issueToken } from './token.js';
import { revokeToken } from './token.service.js';
import type { TokenChangeDependencies } from './token.service.js';

interface Dependencies extends TokenChangeDependencies {
  repositories: Pick<Repositories, 'tokens' | 'organizations'>;
  use: UsedIds;
}

export const tokenRequestHandlers = ({
  repositories: { tokens, organizations },
  use,
  ...parts
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

  revoke_token: async ({ tokenId }) => ({ token: await revokeToken(parts, tokenId) }),
});
