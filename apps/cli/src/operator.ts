import { RemoteFailure } from '#tool-call';
import { approvalCommands } from './approval.command.js';
import { memberCommands } from './members.command.js';
import { auditCommands } from './audit.command.js';
import { CommandError, exitStatus, UnreachableError, UsageError } from './command-error.js';
import type { ExitStatus } from './command-error.js';
import { readTyped, usageOf } from './command.js';
import type { Command } from './command.js';
import { deadLetterCommands } from './dead-letter.command.js';
import { doctorCommands } from './doctor.command.js';
import { domainCommands } from './domain.command.js';
import { importCommand } from './import.command.js';
import { machineCommands } from './machine.command.js';
import { mcpConfigCommand } from './mcp-config.command.js';
import { mailCommands } from './mail.command.js';
import { organizationCommands } from './organization.command.js';
import { planCommands } from './plan.command.js';
import { sendCommands } from './send.command.js';
import type { Session } from './session.js';
import { subscriberCommands } from './subscriber.command.js';
import { suppressionCommands } from './suppression.command.js';
import { tableLines } from './terminal.js';
import { tokenCommands } from './token.command.js';

export const commands: readonly Command[] = [
  ...organizationCommands,
  ...planCommands,
  ...tokenCommands,
  ...domainCommands,
  importCommand,
  ...subscriberCommands,
  ...suppressionCommands,
  ...sendCommands,
  ...mailCommands,
  ...approvalCommands,
  ...memberCommands,
  ...auditCommands,
  ...deadLetterCommands,
  mcpConfigCommand,
  ...doctorCommands,
  ...machineCommands,
];
const program = 'npm run tidings --';

/** Runs the operator's command. @returns the exit status */
export async function operate(args: readonly string[], session: Session): Promise<ExitStatus> {
  const { terminal } = session;
  const words = args.filter((arg) => !arg.startsWith('-'));
  const isJson = args.includes('--json');
  const command = commands.find((one) => one.words.every((word, at) => args[at] === word));
  if (args.includes('--help') || args.includes('-h') || args.length === 0) {
    for (const line of command ? helpOf(command) : overview(words[0])) terminal.say(line);
    return args.length === 0 ? exitStatus.misused : exitStatus.done;
  }
  try {
    if (!command) throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}".`);
    return (await command.run(readTyped(command, args.slice(command.words.length)), session)) ?? exitStatus.done;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.note(error.message);
      terminal.note(command ? `Usage: ${program} ${usageOf(command)}` : `See: ${program} --help`);
      return exitStatus.misused;
    }
    if (!(error instanceof CommandError || error instanceof RemoteFailure)) throw error;
    terminal.note(isJson ? JSON.stringify({ error: error.message }) : error.message);
    return isUnreachable(error) ? exitStatus.unreachable : exitStatus.failed;
  } finally {
    await session.close();
  }
}

const isUnreachable = (error: CommandError | RemoteFailure): boolean =>
  error instanceof RemoteFailure ? error.failure.code === 'UNAVAILABLE' : error instanceof UnreachableError;

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
    'Exit status: 0 done, 1 failed, 2 typed wrongly, 3 done in part, 4 not confirmed, 5 no running system reached.',
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
    ...(rows.length > 0 ? ['', ...tableLines(rows)] : []),
  ];
}
