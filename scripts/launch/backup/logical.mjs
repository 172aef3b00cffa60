import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { childEnvironment, searchPath } from '../paths.mjs';
import { connectPostgres } from '../postgres-check.mjs';
import { LaunchError } from '../terminal.mjs';
import { contentsOf, insertMarker, SCHEMAS } from './base-backup.mjs';

/** A dump is cut into entries of this size, since an entry's size precedes its content. */
const PART_BYTES = 16 << 20;

/** Where Debian and Homebrew keep client programs that are not on PATH. */
const CLIENT_FOLDERS = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'];

/**
 * A dump of all schemas by pg_dump, in its custom format.
 * @param {string} url of the owner
 * @param {number} major of the server
 * @throws {LaunchError} with the line to run elsewhere, when no pg_dump here is new enough
 * @returns {(archive: import('./archive.mjs').ArchiveWriter) => Promise<import('./base-backup.mjs').Facts>}
 */
export function logicalBackup(url, major) {
  const command = clientProgram('pg_dump', major);
  if (!command) {
    throw new LaunchError(
      `No pg_dump of version ${major} or newer was found here. Run this where one is, and keep the master key apart:\n` +
        `  pg_dump --format custom --no-privileges --file tidings.dump "$OWNER_URI"`,
    );
  }
  return async (archive) => {
    const client = await connectPostgres(url);
    try {
      const marker = await insertMarker(client, 'LOGICAL');
      await client.query('begin transaction isolation level repeatable read read only');
      const { rows } = await client.query(
        'select pg_export_snapshot() as snapshot, pg_current_wal_lsn()::text as lsn, clock_timestamp() as at',
      );
      const { snapshot, lsn, at } = rows[0];
      const contents = await contentsOf(client);
      const schemas = SCHEMAS.flatMap((schema) => ['--schema', schema]);
      const args = ['--format=custom', '--no-privileges', '--no-owner', `--snapshot=${snapshot}`, ...schemas];
      await addOutput(archive, command, args, environmentOf(url));
      return { marker, takenAt: at.toISOString(), startLsn: lsn, stopLsn: lsn, ...contents };
    } finally {
      await client.end();
    }
  };
}

/**
 * Restores a dump into an empty database.
 * @param {string} url of the owner
 * @param {AsyncIterable<Buffer>} dump
 * @param {number} major of the server that was dumped
 */
export async function restoreDump(url, dump, major) {
  const command = clientProgram('pg_restore', major);
  if (!command) throw new LaunchError(`No pg_restore of version ${major} or newer was found here.`);
  const client = await connectPostgres(url);
  try {
    for (const name of ['pg_trgm', 'btree_gin']) await client.query(`create extension if not exists ${name}`);
  } finally {
    await client.end();
  }
  const child = spawn(command, ['--no-owner', '--no-privileges', '--exit-on-error', '--dbname', databaseOf(url)], {
    env: childEnvironment(environmentOf(url)),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = endOf(child, 'pg_restore');
  child.stdin.on('error', () => {});
  for await (const chunk of dump) {
    if (!child.stdin.write(chunk)) await Promise.race([once(child.stdin, 'drain'), ended]);
  }
  child.stdin.end();
  await ended;
}

/**
 * @param {import('./archive.mjs').ArchiveWriter} archive
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} environment
 */
async function addOutput(archive, command, args, environment) {
  const child = spawn(command, args, { env: childEnvironment(environment), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = endOf(child, 'pg_dump');
  let part = 0;
  /** @type {Buffer[]} */
  let held = [];
  let bytes = 0;
  const add = async () => {
    await archive.add(`database.dump/${String(part++).padStart(6, '0')}`, Buffer.concat(held));
    [held, bytes] = [[], 0];
  };
  for await (const chunk of child.stdout) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes >= PART_BYTES) await add();
  }
  await ended;
  if (bytes > 0) await add();
}

/** @param {import('node:child_process').ChildProcess} child @param {string} name */
function endOf(child, name) {
  let trouble = '';
  child.stderr?.on('data', (chunk) => (trouble = (trouble + chunk).slice(-2_000)));
  /** @type {Promise<void>} */
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) =>
      status === 0 ? resolve() : reject(new LaunchError(`${name} failed:\n${trouble.trim()}`)),
    );
  });
  // Awaited when its output has been read.
  ended.catch(() => {});
  return ended;
}

/** The newest client program of at least this major version. @param {string} name @param {number} major */
function clientProgram(name, major) {
  const versions = CLIENT_FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder).map((version) => path.join(folder, version, 'bin')),
  );
  const found = [...new Set([...searchPath(), ...versions])]
    .map((folder) => path.join(folder, name))
    .filter((file) => existsSync(file))
    .map((file) => ({ file, major: majorOf(file) }))
    .sort((a, b) => b.major - a.major);
  return found.find((one) => one.major >= major)?.file;
}

/** @param {string} file */
function majorOf(file) {
  try {
    const answer = execFileSync(file, ['--version'], { encoding: 'utf8', env: childEnvironment(), stdio: 'pipe' });
    return Number(/(\d+)(\.\d+|\w+)?\s*(\(|$)/m.exec(answer)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** A connection as libpq's environment variables: a password must not appear on a command line. @param {string} url */
function environmentOf(url) {
  const { hostname, port, username, password, searchParams } = new URL(url);
  const sslmode = searchParams.get('sslmode');
  return {
    PGHOST: hostname,
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: databaseOf(url),
    ...(sslmode && { PGSSLMODE: sslmode }),
  };
}

/** @param {string} url */
const databaseOf = (url) => decodeURIComponent(new URL(url).pathname.slice(1));
