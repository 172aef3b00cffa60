import type { memberTools } from '#contracts';
import type { Caller, Handlers } from '#tool-call';
import type { Repositories } from '../repositories.js';
import type { ApiToken } from '../token/token.js';

/** Calls a minute of a user, outside the organization's budget. */
const userRatePerMinute = 300;

export const meToolHandlers = ({
  organizations,
  members,
  users,
  tokens,
}: Pick<Repositories, 'organizations' | 'members' | 'users' | 'tokens'>): Pick<
  Handlers<typeof memberTools>,
  'get_me'
> => ({
  get_me: async (_args, caller) => {
    const { id, number, name, ratePerMinute } = await organizations.get(caller.organizationId);
    const { actor } = caller;
    const user = actor?.kind === 'USER' ? await users.findById(actor.id) : null;
    const token = user ? undefined : await tokenOf(caller, tokens);
    const own = user ? await members.listOfUser(user.id) : [];
    return {
      actor: user
        ? { kind: 'USER', id: user.id, name: user.name, email: user.email, operator: user.operator }
        : { ...namedActor(caller, token), email: null, operator: actor?.kind === 'OPERATOR' },
      organization: { id, number, name },
      role: own.find((one) => one.id === id)?.role ?? null,
      scopes: [...caller.scopes],
      asks: caller.asks ?? false,
      ...(token?.toolsets && { toolsets: token.toolsets }),
      rateLimit: user ? userRatePerMinute : ratePerMinute,
      organizations: own,
    };
  },
});

async function tokenOf({ actor, tokenId, organizationId }: Caller, tokens: Repositories['tokens']) {
  const id = actor?.kind === 'TOKEN' ? actor.id : tokenId;
  return id === null ? undefined : (await tokens.listFor(organizationId, { withEnded: true, of: { tokenId: id } }))[0];
}

function namedActor({ actor, tokenId }: Caller, token: ApiToken | undefined) {
  const { kind, id } = actor ?? { kind: 'TOKEN' as const, id: tokenId ?? '' };
  return { kind, id, name: token?.name ?? kind.toLowerCase() };
}
