import { parseArgs } from 'node:util';
import { UsageError } from './command-error.js';
import type { ExitStatus } from './command-error.js';
import type { Session } from './session.js';
import type { Typed } from './typed.js';

/** `value` names the option's argument; an option without it is a switch. */
export interface Option {
  about: string;
  value?: string;
  multiple?: boolean;
  choices?: readonly string[];
}
export type Options = Readonly<Record<string, Option>>;

export const jsonOption: Option = { about: 'prints one JSON document' };
export const yesOption: Option = { about: 'confirms without a question' };
export const orgOption: Option = {
  value: 'ID',
  about: 'the organization, by id or number; not needed when there is only one',
};

export interface Command {
  words: readonly string[];
  aliases?: readonly (readonly string[])[];
  /** Arguments after the words: `ID` is required, `[ID]` is optional, `[ID]...` is repeatable. */
  parameters?: readonly string[];
  about: string;
  options?: Options;
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
  assertParameters(command.parameters ?? [], positionals);
  for (const [name, { choices }] of Object.entries(command.options ?? {})) {
    const value = values[name];
    if (choices && typeof value === 'string' && !choices.includes(value))
      throw new UsageError(`--${name} takes one of ${choices.join(', ')}, not "${value}".`);
  }
  return {
    parameters: positionals,
    text: (option) => values[option] as string | undefined,
    texts: (option) => (values[option] as string[] | undefined) ?? [],
    has: (option) => values[option] === true,
  };
}

function assertParameters(wanted: readonly string[], given: readonly string[]): void {
  const required = wanted.filter((name) => !name.startsWith('['));
  if (given.length < required.length) throw new UsageError(`${required[given.length]} is missing.`);
  const isRepeatable = wanted.at(-1)?.endsWith('...') ?? false;
  if (given.length > wanted.length && !isRepeatable)
    throw new UsageError(`"${given[wanted.length]}" is one word too many.`);
}

/** @throws UsageError unless the option holds a whole number within the bounds */
export function numberTyped(typed: Typed, option: string, max: number): number | undefined {
  const text = typed.text(option);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < 1 || number > max)
    throw new UsageError(`--${option} takes 1 to ${max}, not "${text}".`);
  return number;
}

export function usageOf({ words, parameters = [], options = {} }: Command): string {
  const shown = Object.entries(options).map(
    ([name, { value, multiple }]) => `[--${name}${value ? ` ${value}` : ''}]${multiple ? '...' : ''}`,
  );
  return [...words, ...parameters, ...shown].join(' ');
}
