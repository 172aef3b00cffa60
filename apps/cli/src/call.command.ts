import type { ToolName } from '#client';
import { catalogue } from '#contracts';
import { closestName } from '#tool-call';
import { UsageError } from './command-error.js';
import { readJson } from './input-file.js';
import { jsonLine } from './terminal.js';
import { apiCommand } from './tool-command.js';

export const callCommand = apiCommand({
  words: ['call'],
  parameters: ['TOOL', '[JSON|@FILE]'],
  about: 'Calls any tool with its input as JSON, from a file with @FILE, and prints its result as JSON.',
  asks: true,
  run: async ({ parameters: [name = '', json = '{}'] }, api, { terminal }) => {
    if (!catalogue.has(name))
      throw new UsageError(`There is no tool "${name}". Did you mean ${closestName(name, [...catalogue.keys()])}?`);
    const input = readJson(json, 'The input');
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw new UsageError('The input must be a JSON object.');
    terminal.say(jsonLine(await api.call(name as ToolName, input)));
  },
});
