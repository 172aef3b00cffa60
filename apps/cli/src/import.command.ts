import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { tagName } from '#contracts';
import type { Args, Data, importTools } from '#contracts';
import { boundsOf, isUnanswered, RemoteFailure } from '#tool-call';
import { CommandError, exitStatus, UsageError } from './command-error.js';
import type { Command, Typed } from './command.js';
import { inBatches } from './import/batch.js';
import type { Batch } from './import/batch.js';
import { HeaderError, readHeader } from './import/csv-header.js';
import { readLines } from './import/csv-line.js';
import { CsvRecords } from './import/csv-record.js';
import { sendInOrder } from './import/in-order.js';
import { factsOf, ImportProgress } from './import/progress.js';
import type { ImportState } from './import/progress.js';
import { RowReport } from './import/row-report.js';
import type { RefusedRow } from './import/row-report.js';
import type { Session } from './session.js';

type Tool = (typeof importTools)['calls']['import_subscribers'];

const atOnce = 3;
const warningsMax = 20;
/** Together a minute: longer than the restart of a service. */
const retryMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000];

export const importCommand: Command = {
  words: ['import'],
  parameters: ['FILE.csv'],
  about: 'Imports subscribers from a CSV of any size; running it again changes nothing twice.',
  options: {
    org: { value: 'ID', about: 'the organization; not needed when there is only one' },
    tag: { value: 'NAME', about: 'a tag for every subscriber in the file', multiple: true },
    resubscribe: { about: 'subscribe UNSUBSCRIBED people again' },
    report: { value: 'FILE', about: 'a CSV that takes every refused row: line, address, reason' },
  },
  run: async (typed, session) => {
    const tags = tagsOf(typed);
    const organizationId = await session.organizationId(typed.text('org'));
    const report = openReport(typed.text('report'), session);
    try {
      const state = await importFile(typed, { session, organizationId, tags, report });
      session.terminal.say(factsOf(state));
      return state.refused > 0 ? exitStatus.refusedRows : exitStatus.done;
    } finally {
      report.close();
    }
  },
};

interface ImportContext {
  session: Session;
  organizationId: string;
  tags: string[];
  report: RowReport;
}

async function importFile(
  typed: Typed,
  { session, organizationId, tags, report }: ImportContext,
): Promise<ImportState> {
  const path = typed.parameters[0]!;
  const { size } = await stat(path).catch(unreadable(path));
  const file = createReadStream(path);
  const counts = { imported: 0, updated: 0 };
  const state = () => ({ bytes: file.bytesRead, sizeBytes: size, ...counts, refused: report.count });
  const warnings = new Set<string>();
  const progress = new ImportProgress(session.terminal);
  const send = await senderOf(session, organizationId, typed.has('resubscribe'));
  const importBatch = async (batch: Batch) => {
    const answer = await send(batch);
    for (const { row, email, message } of answer.errors) {
      report.add({ line: batch.lines[row]!, email, reason: message });
    }
    counts.imported += answer.imported;
    counts.updated += answer.updated;
    for (const warning of answer.warnings ?? []) if (warnings.size < warningsMax) warnings.add(warning);
    progress.show(state());
  };
  try {
    const records = new CsvRecords(readLines(file as AsyncIterable<Buffer>));
    const columns = await columnsOf(records, session);
    const request = { tags, refuse: (row: RefusedRow) => report.add(row) };
    await sendInOrder(inBatches(records.rows(columns.length), columns, request), importBatch, atOnce);
    return state();
  } catch (error) {
    if (error instanceof HeaderError) throw new CommandError(error.message);
    if (error instanceof RemoteFailure) throw stopped(error.message, state());
    return unreadable(path)(error);
  } finally {
    progress.end();
    file.destroy();
    for (const warning of warnings) session.terminal.note(warning);
  }
}

/** Refuses an invalid tag once, instead of with every row. */
function tagsOf(typed: Typed): string[] {
  return typed.texts('tag').map((text) => {
    const { data, error } = tagName.safeParse(text);
    if (error) throw new UsageError(`--tag "${text.slice(0, 80)}": ${error.issues[0]!.message}.`);
    return data;
  });
}

async function columnsOf(records: CsvRecords, { terminal }: Session) {
  const header = await records.header();
  if (!header) throw new HeaderError('The file is empty.');
  if ('problem' in header) throw new HeaderError(`The first line cannot be read. ${header.problem}`);
  const { columns, notices } = readHeader(header.cells);
  for (const notice of notices) terminal.note(notice);
  return columns;
}

/** Calls the import tool. A call without an answer is repeated under the same id, so that it counts once. */
async function senderOf(session: Session, organizationId: string, resubscribe: boolean) {
  const bus = await session.bus();
  const { organization } = await (await session.domain()).get_organization({}, session.caller(organizationId));
  const bounds = boundsOf(organization);
  const run = randomUUID();
  let calls = 0;
  return async ({ rows }: Batch): Promise<Data<Tool>> => {
    const callId = `import:${run}:${++calls}`;
    const input: Args<Tool> = { subscribers: rows, resubscribe, triggerWorkflows: false };
    for (let attempt = 0; ; attempt++) {
      const caller = { ...session.caller(organizationId), callId, bounds };
      const outcome = await bus.request('tools', { service: 'subscriber', name: 'import_subscribers' }, input, caller);
      if (outcome.ok) return outcome.data as Data<Tool>;
      if (!isUnanswered(outcome.error) || attempt === retryMs.length) throw new RemoteFailure(outcome.error);
      await pause(retryMs[attempt]);
    }
  };
}

function openReport(path: string | undefined, { terminal }: Session): RowReport {
  try {
    return new RowReport(path, (line) => terminal.note(line));
  } catch (error) {
    throw new CommandError(`The report cannot be written: ${(error as Error).message}`);
  }
}

const stopped = (why: string, state: ImportState) =>
  new CommandError(`Stopped at ${factsOf(state)}. ${why} Run the same command again; no row is imported twice.`);

const unreadable =
  (path: string) =>
  (error: unknown): never => {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall ? new CommandError(`${path} cannot be read: ${message}`) : error;
  };
