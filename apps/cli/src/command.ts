import { parseArgs } from 'node:util';
import { UsageError } from './command-error.js';
import type { ExitStatus } from './command-error.js';
import type { Session } from './session.js';

/** `value` names the option's argument; an option without it is a switch. */
interface Option {
  about: string;
  value?: string;
  multiple?: boolean;
}

/** Prints one JSON document instead of lines for people. */
export const jsonOption: Option = { about: 'prints one JSON document' };

/** Arguments after the command's words. */
export interface Typed {
  /** In the order of the command's parameters. */
  parameters: string[];
  text(option: string): string | undefined;
  /** All values of a repeatable option. */
  texts(option: string): string[];
  /** Whether a switch is there. */
  has(option: string): boolean;
}

export interface Command {
  /** The words that choose it. */
  words: readonly string[];
  /** Required arguments after the words. */
  parameters?: readonly string[];
  about: string;
  options?: Readonly<Record<string, Option>>;
  run(typed: Typed, session: Session): Promise<ExitStatus | void>;
}

/** Parses the arguments after a command's words. @throws UsageError */
export function readTyped(command: Command, args: readonly string[]): Typed {
  const options = Object.fromEntries(
    Object.entries(command.options ?? {}).map(([name, { value, multiple = false }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const), multiple },
    ]),
  );
  let read;
  try {
    read = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { values, positionals } = read;
  const wanted = command.parameters ?? [];
  if (positionals.length < wanted.length) throw new UsageError(`${wanted[positionals.length]} is missing.`);
  if (positionals.length > wanted.length) throw new UsageError(`"${positionals[wanted.length]}" is one word too many.`);
  return {
    parameters: positionals,
    text: (option) => values[option] as string | undefined,
    texts: (option) => (values[option] as string[] | undefined) ?? [],
    has: (option) => values[option] === true,
  };
}

export function usageOf({ words, parameters = [], options = {} }: Command): string {
  const shown = Object.entries(options).map(
    ([name, { value, multiple }]) => `[--${name}${value ? ` ${value}` : ''}]${multiple ? '...' : ''}`,
  );
  return [...words, ...parameters, ...shown].join(' ');
}
