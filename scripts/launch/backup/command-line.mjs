import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { messageOf } from '../paths.mjs';
import { LaunchError, say } from '../terminal.mjs';

/** Exit statuses of `tidings`. */
export const exitStatus = { done: 0, failed: 1, misused: 2, unreachable: 5 };

export class UsageError extends Error {}
/** The system that a command needs does not run. */
export class UnreachableError extends LaunchError {}

/**
 * Runs a command: help and mistyped words need no running system. With `--json` the result is one document on stdout and
 * an error is one on stderr.
 * @param {string[]} args
 * @param {object} command
 * @param {string} command.help
 * @param {NonNullable<import('node:util').ParseArgsConfig['options']>} command.options
 * @param {(typed: { values: Record<string, any>, positionals: string[], note: (line: string) => void }) => Promise<object>} command.run
 *   returns the result; notes go to stderr
 * @param {(result: any) => string[]} command.lines of the result, for people
 * @returns {Promise<number>} exit status
 */
export async function runCommand(args, { help, options, run, lines }) {
  const isJson = args.includes('--json');
  try {
    if (args.includes('--help') || args.includes('-h')) {
      say(help);
      return exitStatus.done;
    }
    const typed = parsed(args, options);
    const note = (/** @type {string} */ line) => void (isJson || process.stderr.write(`${line}\n`));
    const result = await (isJson && typed.positionals[0] !== '-'
      ? withoutProgress(() => run({ ...typed, note }))
      : run({ ...typed, note }));
    // A backup on stdout must not be mixed with lines of text.
    const write =
      typed.positionals[0] === '-' ? (/** @type {string} */ line) => process.stderr.write(`${line}\n`) : say;
    for (const line of isJson ? [JSON.stringify(result)] : lines(result)) write(line);
    return exitStatus.done;
  } catch (error) {
    const status =
      error instanceof UsageError
        ? exitStatus.misused
        : error instanceof UnreachableError
          ? exitStatus.unreachable
          : exitStatus.failed;
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPIPE') return exitStatus.failed;
    if (!(error instanceof LaunchError || error instanceof UsageError) && !isJson) throw error;
    const hint = error instanceof UsageError ? `\n${help.split('\n')[0]}` : '';
    process.stderr.write(isJson ? `${JSON.stringify({ error: messageOf(error) })}\n` : `${messageOf(error)}${hint}\n`);
    return status;
  }
}

/**
 * Keeps the launcher's progress lines off stdout, where one JSON document is expected.
 * @template T
 * @param {() => Promise<T>} work
 */
async function withoutProgress(work) {
  const { write } = process.stdout;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
}

/** @param {string[]} args @param {NonNullable<import('node:util').ParseArgsConfig['options']>} options */
function parsed(args, options) {
  try {
    return /** @type {{ values: Record<string, any>, positionals: string[] }} */ (
      parseArgs({ args, options: { ...options, json: { type: 'boolean' } }, allowPositionals: true, strict: true })
    );
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** The passphrase in a file, without the line break at its end. @param {string | undefined} file */
export function passphraseOf(file) {
  if (file === undefined) return undefined;
  try {
    const passphrase = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (passphrase === '') throw new LaunchError(`${file} holds no passphrase.`);
    return passphrase;
  } catch (error) {
    if (error instanceof LaunchError) throw error;
    throw new LaunchError(`${file} cannot be read: ${messageOf(error)}.`);
  }
}
