import type { Scope } from './scope.js';

export const roles = ['viewer', 'editor', 'approver', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** `asks`: calls of scope `send` become approvals. */
export const rightsOf: Readonly<Record<Role, { scopes: readonly Scope[]; asks: boolean }>> = {
  viewer: { scopes: ['read'], asks: false },
  editor: { scopes: ['read', 'write', 'test'], asks: true },
  approver: { scopes: ['read', 'write', 'test', 'send', 'approve'], asks: false },
  admin: { scopes: ['read', 'write', 'test', 'send', 'approve', 'admin'], asks: false },
  owner: { scopes: ['read', 'write', 'test', 'send', 'approve', 'admin'], asks: false },
};

export const isAtLeast = (role: Role, lowest: Role): boolean => roles.indexOf(role) >= roles.indexOf(lowest);
