import { allScopes } from '#contracts';
import type { Scope } from '#contracts';
import type { ToolData } from '#client';
import { UsageError } from './command-error.js';
import { numberTyped } from './command.js';
import type { Options } from './command.js';
import { tableLines } from './terminal.js';
import { expiryAfter } from './token/expiry.js';
import { toolCommand } from './tool-command.js';
import type { Typed } from './typed.js';

type Token = ToolData<'list_api_tokens'>['tokens'][number];

const narrowing: Options = {
  scopes: { value: 'LIST', about: `any of ${allScopes.join(',')}` },
  expires: { value: 'SPAN', about: 'when it ends, such as 12h, 90d or 4w' },
};

const create = toolCommand({
  words: ['tokens', 'create'],
  aliases: [['token', 'create']],
  about: 'Makes an API token. The last line is the token alone, shown this once.',
  options: {
    name: { value: 'NAME', about: 'what it is for (default: API token)' },
    scopes: { ...narrowing.scopes!, about: `${narrowing.scopes!.about} (default: read,write,send)` },
    expires: { ...narrowing.expires!, about: `${narrowing.expires!.about}; or never (default: 90d)` },
    'no-self-confirm': { about: 'the token may not confirm: a person approves what asks for it (approvals list)' },
  },
  tool: 'create_api_token',
  input: (typed) => ({
    name: typed.text('name') ?? 'API token',
    scopes: scopesTyped(typed) ?? ['read', 'write', 'send'],
    expiresAt: typed.text('expires') === 'never' ? null : expiryTyped(typed),
    selfConfirm: !typed.has('no-self-confirm'),
  }),
  lines: ({ token, secret }) => [
    `Token "${token.name}" (${token.id}) may ${token.scopes.join(', ')}; ${token.expiresAt ? `it ends ${token.expiresAt}` : 'it never ends'}.`,
    secret,
  ],
});

const list = toolCommand({
  words: ['tokens', 'list'],
  aliases: [['token', 'list']],
  about: 'Lists the tokens of an organization, the newest first.',
  options: { all: { about: 'also those that expired or were revoked' } },
  tool: 'list_api_tokens',
  input: (typed) => ({ includeEnded: typed.has('all') }),
  lines: ({ tokens }) =>
    tableLines([['ID', 'NAME', 'KIND', 'TOKEN', 'SCOPES', 'ENDS', 'LAST USED'], ...tokens.map(cellsOf)]),
});

const update = toolCommand({
  words: ['tokens', 'update'],
  parameters: ['ID'],
  about: 'Renames a token, or narrows its scopes or its life.',
  options: { name: { value: 'NAME', about: 'its name' }, ...narrowing },
  tool: 'update_api_token',
  input: (typed) => {
    const change = { name: typed.text('name'), scopes: scopesTyped(typed), expiresAt: expiryTyped(typed) };
    if (Object.values(change).every((value) => value === undefined))
      throw new UsageError('Nothing to change is given.');
    return { tokenId: typed.parameters[0]!, ...change };
  },
  lines: ({ token }) => tableLines([cellsOf(token)]),
});

const rotate = toolCommand({
  words: ['tokens', 'rotate'],
  parameters: ['ID'],
  about: 'Replaces the secret of a token. The last line is the new one alone, shown this once.',
  options: {
    overlap: { value: 'HOURS', about: 'how long the former secret still works, 1 to 168 (default: 24)' },
    'at-once': { about: 'the former secret ends now' },
  },
  tool: 'rotate_api_token',
  input: (typed) => ({
    tokenId: typed.parameters[0]!,
    overlapHours: typed.has('at-once') ? 0 : numberTyped(typed, 'overlap', 168),
  }),
  lines: ({ token, secret, oldEndsAt }) => [
    `Token "${token.name}" (${token.id}) has a new secret; the former one ends ${oldEndsAt}.`,
    secret,
  ],
});

const revoke = toolCommand({
  words: ['tokens', 'revoke'],
  aliases: [['token', 'revoke']],
  parameters: ['ID'],
  about: 'Ends a token now.',
  tool: 'revoke_api_token',
  input: ({ parameters: [tokenId] }) => ({ tokenId: tokenId! }),
  lines: ({ token }) => [`Token "${token.name}" (${token.id}) is revoked.`],
});

export const tokenCommands = [create, list, update, rotate, revoke];

const cellsOf = (token: Token): string[] => [
  token.id,
  token.name,
  token.kind,
  token.lastFour && `…${token.lastFour}`,
  token.scopes.join(','),
  token.revokedAt ? `revoked ${token.revokedAt}` : (token.expiresAt ?? 'never'),
  token.lastUsedAt ?? 'never',
];

function scopesTyped(typed: Typed): Scope[] | undefined {
  const scopes = typed.text('scopes')?.toLowerCase().split(',');
  const unknown = scopes?.find((scope) => !(allScopes as readonly string[]).includes(scope));
  if (unknown !== undefined) throw new UsageError(`--scopes takes any of ${allScopes.join(',')}, not "${unknown}".`);
  return scopes as Scope[] | undefined;
}

function expiryTyped(typed: Typed): string | undefined {
  const span = typed.text('expires');
  if (span === undefined) return undefined;
  const end = expiryAfter(span, new Date(Date.now()));
  if (!end) throw new UsageError(`--expires takes a span such as 90d, not "${span}".`);
  return end.toISOString();
}
