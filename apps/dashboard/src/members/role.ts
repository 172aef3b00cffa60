import type { ToolData } from '#client';
import type { Role } from '../data/session.js';

export type Member = ToolData<'list_members'>['members'][number];

export const roles = ['viewer', 'editor', 'approver', 'admin', 'owner'] as const satisfies readonly Role[];

/** The roles that a role may give: only owners make owners. */
export const grantableRoles = (own: Role): readonly Role[] =>
  own === 'owner' ? roles : own === 'admin' ? roles.filter((role) => role !== 'owner') : [];

/** Whether a member of one role may change, remove or sign out one of another. */
export const mayManage = (own: Role, other: Role): boolean => grantableRoles(own).includes(other);
