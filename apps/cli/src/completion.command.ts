import { catalogue } from '#contracts';
import { completionScript } from './completion/completion-script.js';
import type { Shell } from './completion/completion-script.js';
import { UsageError } from './command-error.js';
import type { Command } from './command.js';

const shells: readonly Shell[] = ['bash', 'zsh'];

/** @param commands all commands, asked for when the script is printed, since this command is one of them */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  words: ['completion'],
  parameters: [shells.join('|')],
  about: 'Prints the completion of a shell: eval "$(tidings completion bash)" completes words, options and tools.',
  run: ({ parameters: [name] }, { terminal }) => {
    const shell = shells.find((one) => one === name);
    if (!shell) throw new UsageError(`The shells are ${shells.join(' and ')}, not "${name}".`);
    for (const line of completionScript(shell, commands(), [...catalogue.keys()])) terminal.say(line);
    return Promise.resolve();
  },
});
