import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ToolData, ToolInput } from '#client';
import { tagName } from '#contracts';
import type { Api } from './api.js';
import { CommandError, exitStatus, UsageError } from './command-error.js';
import { writeTextFile } from './output-file.js';
import { numberTyped } from './command.js';
import type { Options } from './command.js';
import { ImportUpload } from './import/upload.service.js';
import { readJson } from './input-file.js';
import { durationText, progressBar } from './progress-bar.js';
import type { Session } from './session.js';
import { cellText, tableLines } from './terminal.js';
import { apiCommand, toolCommand } from './tool-command.js';
import type { Typed } from './typed.js';

type Import = ToolData<'get_subscriber_import'>['import'];
type ImportOptions = NonNullable<ToolInput<'start_subscriber_import'>['options']>;
type Mapping = ToolInput<'check_subscriber_import'>['mapping'];

const pollMs = 500;
/** Milliseconds between lines of progress where no line can be redrawn. */
const lineMs = 5_000;
const rowsShown = 20;
const running = ['CHECKING', 'RUNNING'];

const modes = ['CREATE_AND_UPDATE', 'CREATE_ONLY', 'UPDATE_ONLY'] as const;
const options: Options = {
  tag: { value: 'NAME', about: 'a tag for every subscriber in the file', multiple: true },
  mode: { value: 'MODE', about: `one of ${modes.join(', ')} (default: the first)`, choices: modes },
  'clear-empty': { about: 'an empty cell clears the value; else it keeps it' },
  resubscribe: { about: 'subscribes UNSUBSCRIBED people again' },
  'trigger-workflows': { about: 'starts the workflows that new subscribers and tags start' },
  mapping: { value: 'JSON|@FILE', about: 'what the columns mean (default: inferred from headings and values)' },
  check: { about: 'reads the whole file and changes nothing' },
  resume: { value: 'ID', about: 'goes on with an import whose upload broke off' },
  report: { value: 'FILE', about: 'a CSV that takes the refused rows, each with line, code and message' },
};

const run = apiCommand({
  words: ['imports', 'run'],
  aliases: [['import']],
  parameters: ['FILE'],
  about:
    'Imports subscribers from a CSV file of up to 1 GiB; - for the standard input. It is uploaded and checked first.',
  options,
  asks: true,
  run: async (typed, api, session) => {
    const file = typed.parameters[0]!;
    const request = { options: optionsTyped(typed), mapping: mappingTyped(typed) };
    const importId = await upload(typed, api, session, file);
    await api.call('check_subscriber_import', { importId, ...request });
    const checked = await follow(importId, { typed, api, session });
    if (checked.state !== 'CHECKED')
      throw new CommandError(`${checked.failure ?? `It is ${checked.state}.`} (${importId})`);
    if (typed.has('check')) return await endCheck(checked, { typed, api, session });
    if (!typed.has('json')) for (const line of checkLines(checked)) session.terminal.note(line);
    await api.call('start_subscriber_import', { importId, ...request });
    const done = await follow(importId, { typed, api, session });
    await reportRefused(done, { typed, api, session });
    session.show(typed, { import: done }, () => [`${countsOf(done)}.`]);
    if (done.state !== 'DONE') throw new CommandError(`The import ${importId} is ${done.state}. ${done.failure ?? ''}`);
    return done.failed > 0 ? exitStatus.partly : exitStatus.done;
  },
});

interface Surroundings {
  typed: Typed;
  api: Api;
  session: Session;
}

function optionsTyped(typed: Typed): ImportOptions {
  const tags = typed.texts('tag').map((text) => {
    const { data, error } = tagName.safeParse(text);
    if (error) throw new UsageError(`--tag "${text.slice(0, 80)}": ${error.issues[0]!.message}.`);
    return data;
  });
  return {
    tags,
    mode: (typed.text('mode') as ImportOptions['mode']) ?? 'CREATE_AND_UPDATE',
    emptyCells: typed.has('clear-empty') ? 'CLEAR' : 'KEEP',
    resubscribe: typed.has('resubscribe'),
    triggerWorkflows: typed.has('trigger-workflows'),
  };
}

const mappingTyped = (typed: Typed): Mapping => {
  const text = typed.text('mapping');
  return text === undefined ? undefined : (readJson(text, '--mapping') as Mapping);
};

/** Uploads the file to a new import, or the rest of it to the one of --resume. @returns the import's id */
async function upload(typed: Typed, api: Api, { terminal }: Session, file: string): Promise<string> {
  const resumed = typed.text('resume');
  const size = file === '-' ? 0 : sizeOf(file);
  const { import: begun } =
    resumed === undefined
      ? await api.call('create_subscriber_import', {
          name: file === '-' ? undefined : path.basename(file).slice(0, 255),
        })
      : await api.call('get_subscriber_import', { importId: resumed });
  if (file === '-' && begun.receivedBytes > 0) throw new UsageError('--resume needs a file, not the standard input.');
  if (begun.state !== 'CHECKED') {
    await new ImportUpload(api, begun.id, begun.receivedBytes).send(file, (received) => {
      if (terminal.redraws && size > 0) terminal.redraw(`${progressBar(received / size)} uploaded`);
    });
    if (terminal.redraws) terminal.redraw('');
  }
  return begun.id;
}

/** @returns the bytes of a file; 0 for a pipe. @throws CommandError */
function sizeOf(file: string): number {
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new Error('it is a directory');
    return found.isFile() ? found.size : 0;
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Ctrl-C ends the command and not the import. */
async function follow(importId: string, { typed, api, session: { terminal } }: Surroundings): Promise<Import> {
  let lineAt = Date.now();
  for (;;) {
    const { import: state } = await api.call('get_subscriber_import', { importId });
    if (!running.includes(state.state)) {
      if (terminal.redraws) terminal.redraw('');
      return state;
    }
    if (terminal.redraws) terminal.redraw(progressText(state));
    else if (!typed.has('json') && Date.now() - lineAt >= lineMs) {
      lineAt = Date.now();
      terminal.note(progressText(state));
    }
    await pause(pollMs);
  }
}

const text = (n: number): string => n.toLocaleString('en');

export function progressText({
  state,
  rows,
  done,
  ratePerSecond,
}: Pick<Import, 'state' | 'rows' | 'done' | 'ratePerSecond'>): string {
  const verb = state === 'CHECKING' ? 'checked' : 'imported';
  const rate = ratePerSecond === null || ratePerSecond <= 0 ? '' : `, ${text(Math.round(ratePerSecond))} rows/s`;
  if (rows === null) return `${text(done)} rows ${verb}${rate}`;
  const left = rate !== '' && rows > done ? `, ${durationText((rows - done) / ratePerSecond!)} left` : '';
  return `${progressBar(rows === 0 ? 1 : done / rows)} ${text(done)} of ${text(rows)} rows ${verb}${rate}${left}`;
}

const countsOf = ({ rows, done, imported, updated, unchanged, failed }: Import): string =>
  `${text(rows ?? done)} rows: ${text(imported)} new, ${text(updated)} updated, ${text(unchanged)} unchanged, ${text(failed)} refused`;

function checkLines({ check, rows }: Import): string[] {
  if (!check) return [];
  const refused = Object.entries(check.refused).map(([code, n]) => `${text(n)} ${code}`);
  return [
    `${text(rows ?? 0)} rows: ${text(check.new)} new, ${text(check.updated)} to update, ${text(check.unchanged)} unchanged; refused: ${refused.join(', ') || 'none'}.`,
    ...check.suggestions.map(({ column, message }) => `Column "${column}": ${message}`),
  ];
}

/** Shows the result of a check and removes its import, so that nothing remains. */
async function endCheck(checked: Import, { typed, api, session }: Surroundings) {
  await api.call('cancel_subscriber_import', { importId: checked.id });
  session.show(typed, { import: checked }, () => checkLines(checked));
  return Object.keys(checked.check?.refused ?? {}).length > 0 ? exitStatus.partly : exitStatus.done;
}

/** Writes the refused rows to the file of --report, else shows the first. @throws CommandError */
async function reportRefused({ errorsUrl }: Import, { typed, api, session }: Surroundings): Promise<void> {
  if (errorsUrl === undefined) return;
  const rows = await api.download(errorsUrl);
  const file = typed.text('report');
  if (file !== undefined) return writeTextFile(file, rows, 'The report');
  if (typed.has('json')) return;
  const lines = rows.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines.slice(0, rowsShown + 1)) session.terminal.note(line);
  if (lines.length > rowsShown + 1) session.terminal.note('… and more; --report FILE takes all of them.');
}

const id = ({ parameters: [importId] }: Typed) => ({ importId: importId! });

const list = toolCommand({
  words: ['imports', 'list'],
  about: 'Lists the imports of the last 7 days and the open ones, the newest first.',
  options: { limit: { value: 'N', about: 'number of imports, 1 to 100 (default: 25)' } },
  tool: 'list_subscriber_imports',
  input: (typed) => ({ limit: numberTyped(typed, 'limit', 100) }),
  lines: ({ imports }) =>
    tableLines([
      ['ID', 'STATE', 'NAME', 'ROWS', 'NEW', 'UPDATED', 'REFUSED', 'CREATED'],
      ...imports.map((one) => [
        ...[one.id, one.state, cellText(one.name), cellText(one.rows)],
        ...[String(one.imported), String(one.updated), String(one.failed), one.createdAt],
      ]),
    ]),
});

const info = toolCommand({
  words: ['imports', 'info'],
  parameters: ['ID'],
  about: 'Shows the state of an import, its counts and its last check.',
  tool: 'get_subscriber_import',
  input: id,
  lines: ({ import: one }) => [
    `${one.state}${one.failure ? `: ${one.failure}` : ''}`,
    running.includes(one.state) ? progressText(one) : `${countsOf(one)}.`,
    ...(one.state === 'CHECKED' ? checkLines(one) : []),
    ...(one.errorsUrl ? [`Refused rows: ${one.errorsUrl}`] : []),
  ],
});

const cancel = toolCommand({
  words: ['imports', 'cancel'],
  parameters: ['ID'],
  about: 'Cancels an import. Rows that were imported stay.',
  tool: 'cancel_subscriber_import',
  input: id,
  lines: ({ import: one }) => [
    `Import ${one.id} is ${one.state}; ${text(one.imported + one.updated)} rows were imported.`,
  ],
});

export const importCommands = [run, list, info, cancel];
