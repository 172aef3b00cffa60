import { ConfirmationRequired, TidingsError } from '#client';
import { RemoteFailure } from '#tool-call';
import { approvalCommands } from './approval.command.js';
import { memberCommands } from './members.command.js';
import { auditCommands } from './audit.command.js';
import { callCommand } from './call.command.js';
import { campaignCommands } from './campaign.command.js';
import { completionCommand } from './completion.command.js';
import { CommandError, exitStatus, UnconfirmedError, UnreachableError, UsageError } from './command-error.js';
import type { ExitStatus } from './command-error.js';
import { readTyped, usageOf } from './command.js';
import type { Command } from './command.js';
import { deadLetterCommands } from './dead-letter.command.js';
import { doctorCommands } from './doctor.command.js';
import { eventCommands } from './events.command.js';
import { featureCommands } from './feature.command.js';
import { domainCommands } from './domain.command.js';
import { importCommands } from './import.command.js';
import { machineCommands } from './machine.command.js';
import { mcpConfigCommand } from './mcp-config.command.js';
import { mailCommands } from './mail.command.js';
import { organizationCommands } from './organization.command.js';
import { migrateCommands } from './migrate.command.js';
import { planCommands } from './plan.command.js';
import { sendCommands } from './send.command.js';
import type { Session } from './session.js';
import { subscriberCommands } from './subscriber.command.js';
import { suppressionCommands } from './suppression.command.js';
import { jsonLine, tableLines } from './terminal.js';
import { tokenCommands } from './token.command.js';

export const commands: readonly Command[] = [
  ...campaignCommands,
  ...sendCommands,
  ...mailCommands,
  ...importCommands,
  ...subscriberCommands,
  ...suppressionCommands,
  ...approvalCommands,
  ...memberCommands,
  ...tokenCommands,
  ...auditCommands,
  ...deadLetterCommands,
  ...eventCommands,
  ...featureCommands,
  ...domainCommands,
  ...organizationCommands,
  ...planCommands,
  callCommand,
  mcpConfigCommand,
  ...doctorCommands,
  ...migrateCommands,
  ...machineCommands,
  completionCommand(() => commands),
];
const program = 'npm run tidings --';

export async function operate(args: readonly string[], session: Session): Promise<ExitStatus> {
  const { terminal } = session;
  const words = args.filter((arg) => !arg.startsWith('-'));
  const chosen = findCommand(args);
  if (args.includes('--help') || args.includes('-h') || args.length === 0) {
    for (const line of chosen ? helpOf(chosen.command) : overview(words[0])) terminal.say(line);
    return args.length === 0 ? exitStatus.misused : exitStatus.done;
  }
  try {
    if (!chosen) throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}".`);
    const typed = readTyped(chosen.command, args.slice(chosen.length));
    return (await chosen.command.run(typed, session)) ?? exitStatus.done;
  } catch (error) {
    if (!isReportable(error)) throw error;
    if (args.includes('--json')) terminal.note(jsonLine(jsonOf(error)));
    else for (const line of linesOf(error, chosen?.command)) terminal.note(line);
    return statusOf(error);
  } finally {
    await session.close();
  }
}

/** The command with the most words, or words of an alias, that the arguments begin with. */
function findCommand(args: readonly string[]): { command: Command; length: number } | undefined {
  const matches = commands.flatMap((command) =>
    [command.words, ...(command.aliases ?? [])]
      .filter((words) => words.every((word, at) => args[at] === word))
      .map(({ length }) => ({ command, length })),
  );
  return matches.sort((a, b) => b.length - a.length)[0];
}

type Reportable = CommandError | TidingsError | RemoteFailure;

const isReportable = (error: unknown): error is Reportable =>
  error instanceof CommandError || error instanceof TidingsError || error instanceof RemoteFailure;

function statusOf(error: Reportable): ExitStatus {
  if (error instanceof UsageError) return exitStatus.misused;
  if (error instanceof UnconfirmedError || error instanceof ConfirmationRequired) return exitStatus.unconfirmed;
  const code = error instanceof TidingsError ? error.code : error instanceof RemoteFailure ? error.failure.code : null;
  return error instanceof UnreachableError || code === 'UNAVAILABLE' ? exitStatus.unreachable : exitStatus.failed;
}

function jsonOf(error: Reportable): object {
  if (error instanceof ConfirmationRequired) {
    const { confirmationCode: _code, ...question } = error.question;
    return { error: error.message, code: error.code, ...question };
  }
  if (!(error instanceof TidingsError)) return { error: error.message };
  const { message, code, reason, issues, requestId } = error;
  return { error: message, code, reason, ...(issues.length > 0 && { issues }), requestId };
}

function linesOf(error: Reportable, command: Command | undefined): string[] {
  if (error instanceof ConfirmationRequired) {
    const { approvalId } = error.question;
    return approvalId === undefined
      ? ['Not confirmed: nothing was done. --yes confirms.']
      : [`${error.message} It waits for a person: ${approvalId}. Repeat the command once it is approved.`];
  }
  if (!(error instanceof UsageError)) return [error.message];
  return [error.message, command ? `Usage: ${program} ${usageOf(command)}` : `See: ${program} --help`];
}

export function overview(noun: string | undefined): string[] {
  const chosen = commands.filter(({ words }) => words[0] === noun);
  const rows = (chosen.length > 0 ? chosen : commands).map((command) => [
    `  ${[...command.words, ...(command.parameters ?? [])].join(' ')}`,
    command.about,
  ]);
  return [
    `Usage: ${program} COMMAND [--help]`,
    '',
    ...tableLines(rows),
    '',
    'Exit status: 0 done, 1 failed, 2 typed wrongly, 3 done in part, 4 not confirmed or waiting for an approval, 5 no running system reached.',
  ];
}

export function helpOf(command: Command): string[] {
  const rows = Object.entries(command.options ?? {}).map(([name, { value, about, multiple }]) => [
    `  --${name}${value ? ` ${value}` : ''}`,
    `${about}${multiple ? '; may be repeated' : ''}`,
  ]);
  return [
    `Usage: ${program} ${usageOf(command)}`,
    '',
    command.about,
    ...(command.aliases ?? []).map((words) => `Also: ${words.join(' ')}`),
    ...(rows.length > 0 ? ['', ...tableLines(rows)] : []),
  ];
}
