import type { ToolData } from '#client';
import { UsageError } from './command-error.js';
import { numberTyped } from './command.js';
import type { Options } from './command.js';
import { writeTextFile } from './output-file.js';
import { tableLines } from './terminal.js';
import { expiryAfter } from './token/expiry.js';
import { apiCommand } from './tool-command.js';
import type { Typed } from './typed.js';

type Entry = ToolData<'list_audit_entries'>['entries'][number];

const pageMax = 100;

const filters: Options = {
  actor: { value: 'ID', about: 'one token or user' },
  token: { value: 'ID', about: 'the same as --actor' },
  tool: { value: 'NAME', about: 'one tool, or an endpoint of v1 as listed' },
  since: { value: 'SPAN', about: 'how far back, such as 12h or 30d (default: no end)' },
};

const filterOf = (typed: Typed) => ({
  actorId: typed.text('actor') ?? typed.text('token'),
  tool: typed.text('tool'),
  since: sinceOf(typed.text('since'), new Date(Date.now())),
});

const list = apiCommand({
  words: ['audit', 'list'],
  about:
    'Lists the calls that changed something, or were to, and sign-ins: who, what, and which record; the newest first.',
  options: { ...filters, limit: { value: 'N', about: 'number of entries, 1 to 10000 (default: 100)' } },
  run: async (typed, api, { show }) => {
    const limit = numberTyped(typed, 'limit', 10_000) ?? pageMax;
    const filter = filterOf(typed);
    const entries: Entry[] = [];
    let cursor: string | undefined;
    do {
      const asked = { ...filter, limit: Math.min(limit - entries.length, pageMax), cursor };
      const page = await api.call('list_audit_entries', asked);
      entries.push(...page.entries);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && entries.length < limit);
    show(typed, { entries, nextCursor: cursor ?? null }, () => tableLines([headings, ...entries.map(cellsOf)]));
  },
});

const exportLog = apiCommand({
  words: ['audit', 'export'],
  parameters: ['FILE'],
  about: 'Writes the audit log to a file; its name decides between CSV and JSON (.json).',
  options: filters,
  run: async (typed, api, { show }) => {
    const file = typed.parameters[0]!;
    const format = file.toLowerCase().endsWith('.json') ? 'JSON' : 'CSV';
    const { downloadUrl } = await api.call('export_audit_log', { ...filterOf(typed), format });
    writeTextFile(file, await api.download(downloadUrl), 'The audit log');
    show(typed, { file, format }, () => [`The audit log is in ${file}.`]);
  },
});

export const auditCommands = [list, exportLog];

const headings = ['AT', 'ACTOR', 'BY', 'TOOL', 'RECORD', 'OUTCOME', 'REQUEST'];
const cellsOf = ({ at, actor, source, tool, target, outcome, requestId }: Entry): string[] => [
  at,
  actor.name ?? actor.id,
  source,
  tool,
  target ?? '',
  outcome,
  requestId,
];

/** The instant that lies a span such as 12h before `now`; undefined without a span. @throws UsageError */
function sinceOf(span: string | undefined, now: Date): string | undefined {
  if (span === undefined) return undefined;
  const after = expiryAfter(span, now);
  if (!after) throw new UsageError(`--since takes a span such as 12h or 30d, not "${span}".`);
  return new Date(2 * now.getTime() - after.getTime()).toISOString();
}
