import type { Scope } from '#contracts';
import { UsageError } from './command-error.js';
import type { Command } from './command.js';
import { tableLines } from './terminal.js';
import { expiryAfter } from './token/expiry.js';

const org = { value: 'ID', about: 'the organization; not needed when there is only one' };

const create: Command = {
  words: ['token', 'create'],
  about: 'Makes an API token. The last line is the token alone, shown this once.',
  options: {
    org,
    name: { value: 'NAME', about: 'what it is for (default: API token)' },
    scopes: { value: 'LIST', about: 'any of read,write,send (default: all)' },
    expires: { value: 'SPAN', about: 'when it ends, such as 12h, 90d or 4w (default: never)' },
    'no-self-confirm': { about: 'the token may not confirm: a person approves what asks for it (approvals list)' },
  },
  run: async (typed, session) => {
    const caller = session.caller();
    const span = typed.text('expires');
    const expiresAt = span === undefined ? null : expiryAfter(span, caller.now);
    if (span !== undefined && !expiresAt) throw new UsageError(`--expires takes a span such as 90d, not "${span}".`);
    const { token, secret } = await (
      await session.domain()
    ).create_token(
      {
        organizationId: await session.organizationId(typed.text('org')),
        name: typed.text('name') ?? 'API token',
        scopes: typed.text('scopes')?.toLowerCase().split(',') as Scope[] | undefined,
        expiresAt: expiresAt?.toISOString() ?? null,
        selfConfirm: !typed.has('no-self-confirm'),
      },
      caller,
    );
    session.terminal.say(
      `Token "${token.name}" (${token.id}) may ${token.scopes.join(', ')}; ${token.expiresAt ? `it ends ${token.expiresAt}` : 'it never ends'}.`,
    );
    session.terminal.say(secret);
  },
};

const list: Command = {
  words: ['token', 'list'],
  about: 'Lists the tokens of an organization, the newest first.',
  options: { org },
  run: async (typed, session) => {
    const organizationId = await session.organizationId(typed.text('org'));
    const { tokens } = await (await session.domain()).list_tokens({ organizationId }, session.caller());
    const rows = tokens.map((token) => [
      token.id,
      token.name,
      token.lastFour && `…${token.lastFour}`,
      token.scopes.join(','),
      token.revokedAt ? `revoked ${token.revokedAt}` : (token.expiresAt ?? 'never'),
      token.lastUsedAt ?? 'never',
    ]);
    const headings = ['ID', 'NAME', 'TOKEN', 'SCOPES', 'ENDS', 'LAST USED'];
    for (const line of tableLines([headings, ...rows])) session.terminal.say(line);
  },
};

const revoke: Command = {
  words: ['token', 'revoke'],
  parameters: ['ID'],
  about: 'Ends a token now.',
  run: async ({ parameters: [tokenId] }, session) => {
    const { token } = await (await session.domain()).revoke_token({ tokenId: tokenId! }, session.caller());
    session.terminal.say(`Token "${token.name}" (${token.id}) is revoked.`);
  },
};

export const tokenCommands = [create, list, revoke];
