import { auditRequests } from '#contracts';
import { UsageError } from './command-error.js';
import type { Command } from './command.js';
import { tableLines } from './terminal.js';
import { expiryAfter } from './token/expiry.js';

const list: Command = {
  words: ['audit', 'list'],
  about:
    'Lists the calls that changed something, or were to: who, with which token, what, and which record; the newest first.',
  options: {
    org: { value: 'ID', about: 'the organization; not needed when there is only one' },
    token: { value: 'ID', about: 'one token' },
    tool: { value: 'NAME', about: 'one tool, or an endpoint of v1 as listed' },
    since: { value: 'SPAN', about: 'how far back, such as 12h or 30d (default: no end)' },
    limit: { value: 'N', about: 'number of entries, 1 to 10000 (default: 100)' },
  },
  run: async (typed, session) => {
    const caller = session.caller();
    const limit = Number(typed.text('limit') ?? 100);
    if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) throw new UsageError('--limit takes 1 to 10000.');
    const asked = {
      organizationId: await session.organizationId(typed.text('org')),
      tokenId: typed.text('token'),
      tool: typed.text('tool'),
      since: sinceOf(typed.text('since'), caller.now),
      limit,
    };
    const { entries } = await (await session.bus()).client(auditRequests).list_audit(asked, caller);
    const rows = entries.map(({ at, tokenId, tokenName, source, tool, target, outcome, requestId }) => [
      ...[at, tokenName ?? tokenId ?? 'operator', source, tool, target ?? '', outcome, requestId],
    ]);
    const headings = ['AT', 'TOKEN', 'BY', 'TOOL', 'RECORD', 'OUTCOME', 'REQUEST'];
    for (const line of tableLines([headings, ...rows])) session.terminal.say(line);
  },
};

/** The instant that lies a span such as 12h before `now`; undefined without a span. */
function sinceOf(span: string | undefined, now: Date): string | undefined {
  if (span === undefined) return undefined;
  const after = expiryAfter(span, now);
  if (!after) throw new UsageError(`--since takes a span such as 12h or 30d, not "${span}".`);
  return new Date(2 * now.getTime() - after.getTime()).toISOString();
}

export const auditCommands = [list];
