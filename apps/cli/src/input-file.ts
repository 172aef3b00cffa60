import { readFileSync } from 'node:fs';
import { CommandError, UsageError } from './command-error.js';

/** The text of a file; `-` is the standard input. @throws CommandError */
export function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** JSON that is typed, or in the file that `@FILE` names. @param what for the refusal. @throws UsageError, CommandError */
export function readJson(typed: string, what: string): unknown {
  const text = typed.startsWith('@') ? readText(typed.slice(1)) : typed;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${what} must be JSON or @FILE: ${(error as Error).message}`);
  }
}
