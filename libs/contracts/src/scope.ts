/**
 * The permissions of a token or a role: `read` = read-only tools, `test` = test mail to members, `send` = tools that
 * cause mail, `approve` = deciding approvals, `admin` = members, tokens and settings.
 */
export const allScopes = ['read', 'write', 'test', 'send', 'approve', 'admin'] as const;
export type Scope = (typeof allScopes)[number];

/** Whether held scopes permit a call of `scope`; `send` implies `test`. */
export const permits = (held: readonly Scope[], scope: Scope): boolean =>
  held.includes(scope) || (scope === 'test' && held.includes('send'));
