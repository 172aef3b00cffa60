import type { ToolData, ToolInput } from '#client';

export type Token = ToolData<'list_api_tokens'>['tokens'][number];
export type TokenScope = Token['scopes'][number];
export type Toolset = NonNullable<ToolInput<'create_api_token'>['toolsets']>[number];

/** A secret to be shown once, with the end of the one that it replaces. */
export interface ShownSecret {
  name: string;
  secret: string;
  oldEndsAt: string | null;
}

/** What a token may be granted; no token decides approvals. */
export const grantableScopes = ['read', 'write', 'test', 'send', 'admin'] as const satisfies readonly TokenScope[];

export const toolsets = [
  'core',
  'tags',
  'subscribers',
  'campaigns',
  'workflows',
  'segments',
  'analytics',
  'settings',
  'email',
  'domains',
  'deliverability',
  'images',
  'transfer',
  'web',
  'members',
  'access',
] as const satisfies readonly Toolset[];

export const hasEnded = ({ revokedAt, expiresAt }: Token, now: number): boolean =>
  revokedAt !== null || (expiresAt !== null && new Date(expiresAt).getTime() <= now);
