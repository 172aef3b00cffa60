import { isAtLeast } from '#contracts';
import type { accessTools, Args } from '#contracts';
import { summarise, ToolError } from '#tool-call';
import type { Handlers } from '#tool-call';
import type { Repositories } from '../repositories.js';
import { issueToken, makeSecret } from './token.js';
import type { ApiToken } from './token.js';
import {
  assertInForce,
  assertMayHold,
  changeToken,
  makerOf,
  reachableToken,
  reachOf,
  revokeToken,
} from './token.service.js';
import type { TokenChangeDependencies } from './token.service.js';

/** Tokens in force of an organization, and PERSONAL ones of one member. */
const tokensMax = { organization: 500, member: 20 };
const daysByDefault = 90;
const [hourMs, dayMs] = [3_600_000, 86_400_000];

type TokenTool = 'create_api_token' | 'list_api_tokens' | 'update_api_token' | 'rotate_api_token' | 'revoke_api_token';

type TokenChange = Omit<Args<(typeof accessTools)['calls']['update_api_token']>, 'tokenId'>;

export const tokenToolHandlers = ({
  repositories,
  ...parts
}: TokenChangeDependencies & { repositories: Repositories }): Pick<Handlers<typeof accessTools>, TokenTool> => ({
  create_api_token: async ({ name, scopes, expiresAt, selfConfirm, toolsets, kind }, caller) => {
    const { organizationId, now } = caller;
    const { userId, role } = await makerOf(repositories, caller, kind);
    if (kind === 'ORGANIZATION' && !isAtLeast(role, 'admin'))
      throw new ToolError('ROLE_TOO_LOW', { call: 'create_api_token', role, needed: 'the role admin or owner' });
    assertMayHold(scopes, role);
    const { tokenDaysMax } = await repositories.organizations.getSettings(organizationId);
    const end = endOf(expiresAt, tokenDaysMax, now);
    const facts = { name, scopes, selfConfirm, toolsets, kind, createdBy: userId, expiresAt: end };
    const { secret, stored } = issueToken(facts);
    const token = await parts.inTransaction(async ({ tokens }) => {
      await tokens.lock(organizationId);
      const { all, personal } = await tokens.countInForce(organizationId, userId);
      if (all >= tokensMax.organization) throw tooMany(tokensMax.organization, 'The organization');
      if (kind === 'PERSONAL' && personal >= tokensMax.member) throw tooMany(tokensMax.member, 'This member');
      return await tokens.insert(organizationId, stored);
    });
    return { token, secret };
  },

  list_api_tokens: async ({ includeEnded }, caller) => ({
    tokens: await repositories.tokens.listFor(caller.organizationId, { withEnded: includeEnded, of: reachOf(caller) }),
  }),

  update_api_token: async ({ tokenId, ...change }, caller) => {
    if (Object.values(change).every((value) => value === undefined)) throw new ToolError('NOTHING_TO_CHANGE', {});
    const token = await changeToken(parts, tokenId, async (within) => {
      assertNarrower(change, await reachableToken(within, tokenId, caller), caller.now);
      await within.tokens.update(tokenId, change);
      return await within.tokens.lockById(caller.organizationId, tokenId);
    });
    return { token: token! };
  },

  rotate_api_token: async ({ tokenId, overlapHours }, caller) => {
    const made = makeSecret();
    const oldEndsAt = new Date(caller.now.getTime() + overlapHours * hourMs);
    const token = await changeToken(parts, tokenId, async (within) => {
      const before = await reachableToken(within, tokenId, caller);
      if (caller.actor?.kind !== 'USER' && caller.actor?.kind !== 'OPERATOR' && tokenId !== caller.tokenId)
        throw new ToolError('USER_REQUIRED', { call: 'The rotation of another token' });
      assertInForce(before, caller.now);
      await within.tokens.updateSecret(tokenId, made, {
        oldEndsAt,
        userId: caller.actor?.kind === 'USER' ? caller.actor.id : null,
      });
      return await within.tokens.lockById(caller.organizationId, tokenId);
    });
    return { token: token!, secret: made.secret, oldEndsAt: oldEndsAt.toISOString() };
  },

  revoke_api_token: async ({ tokenId }, caller) => {
    await parts.inTransaction((within) => reachableToken(within, tokenId, caller));
    return { token: await revokeToken(parts, tokenId) };
  },
});

function assertNarrower({ scopes, toolsets, expiresAt }: TokenChange, before: ApiToken, now: Date): void {
  assertInForce(before, now);
  const wider = scopes?.find((scope) => !before.scopes.includes(scope));
  if (wider) throw new ToolError('SCOPE_TOO_HIGH', { scope: wider, why: 'the token does not have it' });
  const added = toolsets?.find((toolset) => before.toolsets && !before.toolsets.includes(toolset));
  if (added !== undefined) throw invalid('toolsets', `must not add "${added}", which the token does not have`);
  if (expiresAt !== undefined && before.expiresAt !== null && expiresAt > before.expiresAt)
    throw invalid('expiresAt', `must not be after ${before.expiresAt}, when the token ends`);
}

/** When a new token ends; null for never. */
function endOf(asked: string | null | undefined, daysMax: number | null, now: Date): string | null {
  const inDays = (days: number) => new Date(now.getTime() + days * dayMs).toISOString();
  if (asked === undefined) return inDays(Math.min(daysByDefault, daysMax ?? daysByDefault));
  if (asked !== null && asked <= now.toISOString()) throw invalid('expiresAt', 'must be in the future');
  if (daysMax !== null && (asked === null || asked > inDays(daysMax)))
    throw invalid('expiresAt', `must be within ${daysMax} days (tokenDaysMax of the organization)`);
  return asked;
}

const tooMany = (limit: number, whose: string) => new ToolError('TOKENS_TOO_MANY', { limit, whose });

function invalid(name: string, message: string): ToolError {
  const issues = [{ path: [name], message }];
  return new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}
