import { CommandError } from './command-error.js';
import type { Command } from './command.js';

/**
 * Commands that the launcher executes, since this process may have no access to the files and servers of the machine.
 */
const elsewhere = (words: string[], parameters: string[], about: string): Command => ({
  words,
  parameters,
  about,
  run: () =>
    Promise.reject(
      new CommandError(
        `\`${words.join(' ')}\` runs where the system was started with \`npm start\`. Where others run PostgreSQL, use its own tools:\n` +
          '  pg_dump --format custom --no-privileges --file tidings.dump "$OWNER_URI"\n' +
          'See docs/guides/backup-and-restore.md.',
      ),
    ),
});

export const machineCommands = [
  elsewhere(
    ['backup'],
    ['FILE'],
    'Writes one consistent state of the running installation to a file (see backup --help).',
  ),
  elsewhere(['restore'], ['FILE'], 'Makes a stopped, empty installation hold what was backed up (see restore --help).'),
];
