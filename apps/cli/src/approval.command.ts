import type { ToolData } from '#client';
import { UnconfirmedError } from './command-error.js';
import { numberTyped } from './command.js';
import type { Session } from './session.js';
import { tableLines } from './terminal.js';
import { apiCommand, toolCommand } from './tool-command.js';

type Approval = ToolData<'get_approval'>['approval'];

const list = toolCommand({
  words: ['approvals', 'list'],
  about: 'Lists the calls that wait for a person, the newest first.',
  options: {
    all: { about: 'also those that were decided or expired' },
    limit: { value: 'N', about: 'number of calls, 1 to 100 (default: 20)' },
  },
  tool: 'list_approvals',
  input: (typed) => ({
    ...(!typed.has('all') && { states: ['PENDING' as const] }),
    limit: numberTyped(typed, 'limit', 100),
  }),
  lines: ({ approvals, pending }) => [
    ...(approvals.length === 0
      ? []
      : tableLines([
          ['ID', 'STATE', 'ASKER', 'TOOL', 'UNTIL', 'WHAT'],
          ...approvals.map((one) => [one.id, one.state, one.asker.name, one.tool, one.expiresAt, one.message]),
        ])),
    `${pending} waiting.`,
  ],
});

const show = toolCommand({
  words: ['approvals', 'show'],
  parameters: ['ID'],
  about: 'Shows what a call would do: its facts, parameters, changes and the mail.',
  tool: 'get_approval',
  input: ({ parameters: [approvalId] }) => ({ approvalId: approvalId! }),
  lines: ({ approval }) => [
    ...sentenceLines(approval),
    ...(approval.parameters === null ? [] : [`Parameters: ${JSON.stringify(approval.parameters)}`]),
    ...approval.diff.map((one) => `Change ${one.path}: ${JSON.stringify(one.before)} → ${JSON.stringify(one.after)}`),
    ...(approval.preview === null
      ? []
      : [`Subject: ${approval.preview.subject}`, '', ...approval.preview.text.split('\n'), '']),
    `State: ${[approval.state, approval.decidedBy, approval.note].filter(Boolean).join(', ')}`,
    `Content: ${approval.contentHash}`,
    ...(approval.stale ? ['The content has changed since it was asked for.'] : []),
  ],
});

const sentenceLines = ({ action, message, asker, facts }: Approval): string[] => [
  `${action}: ${message}`,
  ...tableLines([['Asker', asker.name], ...facts.map(({ label, value }) => [label, value])]),
];

const approve = apiCommand({
  words: ['approvals', 'approve'],
  parameters: ['ID'],
  about: 'Approves a call and carries it out.',
  options: { seen: { value: 'HASH', about: 'only if its content is still this, as `approvals show` printed it' } },
  asks: true,
  run: async (typed, api, session) => {
    const approvalId = typed.parameters[0]!;
    const { approval } = await api.call('get_approval', { approvalId });
    const seen = typed.text('seen') ?? (await readByPerson(approval, session, typed.has('yes')));
    const decided = await api.call('decide_approval', { approvalId, approved: true, seen });
    session.show(typed, decided, () => [
      `${decided.approval.action}: ${decided.approval.message}`,
      `${decided.approval.state}.`,
    ]);
  },
});

/** Shows what is approved, and returns the hash of it once a person agrees. */
async function readByPerson(approval: Approval, { terminal }: Session, isAgreed: boolean): Promise<string> {
  if (isAgreed) return approval.contentHash;
  for (const line of sentenceLines(approval)) terminal.note(line);
  if ((await terminal.ask('Approve it?')) === true) return approval.contentHash;
  throw new UnconfirmedError(
    'Not approved: nothing was done. Repeat with --yes, or with --seen and the shown content.',
  );
}

const reject = toolCommand({
  words: ['approvals', 'reject'],
  parameters: ['ID'],
  about: 'Refuses a call for a day.',
  options: { note: { value: 'TEXT', about: 'why; the asker reads it' } },
  tool: 'decide_approval',
  input: (typed) => ({ approvalId: typed.parameters[0]!, approved: false, note: typed.text('note') }),
  lines: ({ approval }) => [
    `${approval.action}: ${approval.message}`,
    `Rejected: the same call is refused until ${approval.expiresAt}.`,
  ],
});

export const approvalCommands = [list, show, approve, reject];
