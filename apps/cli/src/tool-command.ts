import type { ToolData, ToolInput, ToolName } from '#client';
import { catalogue } from '#contracts';
import type { Api } from './api.js';
import type { ExitStatus } from './command-error.js';
import { jsonOption, orgOption, yesOption } from './command.js';
import type { Command, Options } from './command.js';
import type { Typed } from './typed.js';

type Declaration = Pick<Command, 'words' | 'aliases' | 'parameters' | 'about' | 'options'>;

interface ToolCommand<T extends ToolName> extends Declaration {
  tool: T;
  /** The tool's input from the typed arguments; may look records up. */
  input(typed: Typed, api: Api): ToolInput<T> | Promise<ToolInput<T>>;
  lines(data: ToolData<T>, typed: Typed): string[];
  status?(data: ToolData<T>): ExitStatus;
}

interface ApiCommand extends Declaration {
  asks?: boolean;
  run(typed: Typed, api: Api, session: Parameters<Command['run']>[1]): Promise<ExitStatus | void>;
}

/** A command that calls tools; it takes --org, --json, and --yes where it asks. */
export function apiCommand({ options = {}, asks = false, run, ...command }: ApiCommand): Command {
  const common: Options = { org: orgOption, json: jsonOption, ...(asks && { yes: yesOption }) };
  return {
    ...command,
    options: { ...options, ...common },
    run: async (typed, session) => await run(typed, session.api(typed), session),
  };
}

export function toolCommand<T extends ToolName>(command: ToolCommand<T>): Command {
  const { tool, input, lines, status, ...declaration } = command;
  const { confirm = false, scope } = catalogue.get(tool)!.contract;
  return apiCommand({
    ...declaration,
    asks: confirm || scope === 'send',
    run: async (typed, api, session) => {
      const data = await api.call(tool, await input(typed, api));
      session.show(typed, data, () => lines(data, typed));
      return status?.(data);
    },
  });
}
