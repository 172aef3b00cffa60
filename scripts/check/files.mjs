import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ignored = new Set(['node_modules', 'dist', '.build', '.data', '.git', '.artefacts']);

/**
 * The files of the checkout, relative to `root`: those that git tracks or would add. Without git, all that are not built.
 * @param {string} root @returns {string[]}
 */
export function listFiles(root) {
  try {
    const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
    const list = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return [...new Set(list.split('\n'))].filter((file) => file !== '' && existsSync(join(root, file))).sort();
  } catch {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter((file) => !file.split('/').some((part) => ignored.has(part)))
      .sort();
  }
}
