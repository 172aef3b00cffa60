import { approvalRequests } from '#contracts';
import type { Command } from './command.js';
import type { Session } from './session.js';
import { tableLines } from './terminal.js';

const client = async (session: Session) => (await session.bus()).client(approvalRequests);

const list: Command = {
  words: ['approvals', 'list'],
  about: 'Lists the calls that wait for a person, the oldest first.',
  options: { org: { value: 'ID', about: 'one organization (default: all)' } },
  run: async (typed, session) => {
    const organizationId = typed.text('org');
    const { approvals } = await (await client(session)).list_approvals({ organizationId }, session.caller());
    const rows = approvals.map(({ id, tokenName, tool, message, expiresAt }) => [
      id,
      tokenName,
      tool,
      expiresAt,
      message,
    ]);
    const headings = ['ID', 'TOKEN', 'TOOL', 'UNTIL', 'WHAT'];
    if (rows.length > 0) for (const line of tableLines([headings, ...rows])) session.terminal.say(line);
    session.terminal.say(`${approvals.length} waiting.`);
  },
};

const decide = (word: 'approve' | 'reject', about: string): Command => ({
  words: ['approvals', word],
  parameters: ['ID'],
  about,
  run: async ({ parameters: [approvalId] }, session) => {
    const decision = { approvalId: approvalId!, approved: word === 'approve' };
    const { approval } = await (await client(session)).decide_approval(decision, session.caller());
    session.terminal.say(`${approval.action}: ${approval.message}`);
    session.terminal.say(
      word === 'approve' ? `${approval.state}.` : `Rejected: the same call is refused until ${approval.expiresAt}.`,
    );
  },
});

export const approvalCommands = [
  list,
  decide('approve', 'Approves a call and carries it out.'),
  decide('reject', 'Refuses a call for a day.'),
];
