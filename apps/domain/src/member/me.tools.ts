import type { memberTools } from '#contracts';
import type { Caller, Handlers } from '#tool-call';
import type { Repositories } from '../repositories.js';

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
    const own = user ? await members.listOfUser(user.id) : [];
    return {
      actor: user
        ? { kind: 'USER', id: user.id, name: user.name, email: user.email, operator: user.operator }
        : { ...(await namedActor(caller, tokens)), email: null, operator: actor?.kind === 'OPERATOR' },
      organization: { id, number, name },
      role: own.find((one) => one.id === id)?.role ?? null,
      scopes: [...caller.scopes],
      asks: caller.asks ?? false,
      rateLimit: user ? userRatePerMinute : ratePerMinute,
      organizations: own,
    };
  },
});

async function namedActor({ actor, tokenId, organizationId }: Caller, tokens: Repositories['tokens']) {
  const { kind, id } = actor ?? { kind: 'TOKEN' as const, id: tokenId ?? '' };
  const token = kind === 'TOKEN' ? (await tokens.list(organizationId)).find((one) => one.id === id) : undefined;
  return { kind, id, name: token?.name ?? kind.toLowerCase() };
}
