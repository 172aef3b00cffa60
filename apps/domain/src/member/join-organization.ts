import type { Role } from '#contracts';
import { ToolError } from '#tool-call';
import type { Repositories } from '../repositories.js';

const membersMax = 500;

/** Makes a user a member, within the lock of the organization's members. @throws ToolError INVITATIONS_TOO_MANY, MEMBER_EXISTS */
export async function joinOrganization(
  { members }: Pick<Repositories, 'members'>,
  organizationId: string,
  user: { id: string; email: string },
  role: Role,
): Promise<void> {
  const { members: count } = await members.count(organizationId);
  if (count >= membersMax) throw new ToolError('INVITATIONS_TOO_MANY', { limit: membersMax, what: 'members' });
  if (!(await members.insert(organizationId, user.id, role)))
    throw new ToolError('MEMBER_EXISTS', { email: user.email });
}
