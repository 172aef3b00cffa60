import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { CommandError } from './command-error.js';

/**
 * Writes a result to a file that only its user may read, since results hold addresses, or to a device or pipe. It
 * replaces an earlier file once it is whole.
 * @param what for the error, such as `The report`
 */
export function writeTextFile(file: string, text: string, what: string): void {
  const partial = `${file}.${randomUUID()}.part`;
  try {
    const present = statSync(file, { throwIfNoEntry: false });
    if (present && !present.isFile()) return writeFileSync(file, text);
    writeFileSync(partial, text, { mode: 0o600, flag: 'wx' });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new CommandError(`${what} cannot be written: ${(error as Error).message}`);
  }
}
