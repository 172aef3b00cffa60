import type { Role } from '#contracts';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { Repositories } from '../repositories.js';

/** The role in which a caller acts: a user's own; a token with scope `admin` was made by an owner and acts as an admin. */
export async function roleOf(
  { members }: Pick<Repositories, 'members'>,
  { actor, organizationId }: Caller,
): Promise<Role> {
  if (actor?.kind === 'OPERATOR') return 'owner';
  if (actor?.kind !== 'USER') return 'admin';
  return (await members.find(organizationId, actor.id))?.role ?? 'viewer';
}

/** @param call for the refusal */
export async function assertOperator(
  { users, members }: Pick<Repositories, 'users' | 'members'>,
  caller: Caller,
  call: string,
): Promise<void> {
  const { actor } = caller;
  if (actor?.kind === 'OPERATOR') return;
  if (actor?.kind !== 'USER') throw new ToolError('USER_REQUIRED', { call });
  if ((await users.findById(actor.id))?.operator) return;
  const role = await roleOf({ members }, caller);
  throw new ToolError('ROLE_TOO_LOW', { call, role, needed: 'an operator of this installation' });
}
