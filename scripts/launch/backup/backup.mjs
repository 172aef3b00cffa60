import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { daemonFiles, runningDaemon } from '../daemon.mjs';
import { dataDirectory } from '../paths.mjs';
import { connectPostgres } from '../postgres-check.mjs';
import { keyFingerprint, masterKey } from '../secrets.mjs';
import { runningSystem } from '../system-lock.mjs';
import { LaunchError } from '../terminal.mjs';
import { ArchiveWriter } from './archive.mjs';
import { baseBackup } from './base-backup.mjs';
import { passphraseOf, runCommand, UnreachableError, UsageError } from './command-line.mjs';
import { logicalBackup } from './logical.mjs';
import { FORMAT, ownVersion } from './manifest.mjs';
import { untilHitsApplied, watchChoices } from './nats-content.mjs';

/** How long opens and clicks that are not recorded yet are waited for. */
const HITS_PATIENCE_MS = 10_000;
const NAME = /^tidings-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?Z\.backup$/;

const help = `Usage: tidings backup FILE|- [--to DIR --keep N] [--logical] [--passphrase-file FILE] [--with-master-key] [--json]

Writes one consistent state of the running installation to FILE ("-": standard output), which takes its place when it is whole.

  --to DIR                 a file named by the time in DIR, instead of FILE
  --keep N                 with --to: deletes all but the N newest backups there
  --logical                by pg_dump, for another major version or machine (default where DATABASE_URL is external)
  --passphrase-file FILE   encrypts (age); the master key is in it
  --with-master-key        puts the master key into a backup that is not encrypted
  --json                   prints one JSON document`;

/** @param {string[]} args @returns {Promise<number>} exit status */
export const backup = (args) =>
  runCommand(args, {
    help,
    options: {
      to: { type: 'string' },
      keep: { type: 'string' },
      logical: { type: 'boolean' },
      'passphrase-file': { type: 'string' },
      'with-master-key': { type: 'boolean' },
    },
    run: async ({ values, positionals, note }) => {
      const target = targetOf(values, positionals);
      const passphrase = passphraseOf(values['passphrase-file']);
      const holdsKey = passphrase !== undefined || values['with-master-key'] === true;
      if (holdsKey && !passphrase) {
        note(
          'Warning: the file is not encrypted and holds the master key, which opens every secret of the installation.',
        );
      }
      const options = { passphrase, holdsKey, isLogical: values.logical === true, note };
      const result = await (target.file === '-'
        ? writeBackup(process.stdout, options)
        : writeFile(target.file, (output) => writeBackup(output, options)));
      await result.finish();
      const removed = target.keep ? removeOld(target.folder, target.keep) : [];
      const bytes = target.file === '-' ? null : statSync(target.file).size;
      return { file: target.file, bytes, ...result.summary, removed };
    },
    lines: ({ file, bytes, kind, takenAt, rows, choices, hits, removed, keyFingerprint: key, holdsKey }) => [
      `Backed up to ${file === '-' ? 'standard output' : file}${bytes === null ? '' : ` (${(bytes / 1e6).toFixed(1)} MB)`}: ` +
        `${kind.toLowerCase()}, the state of ${takenAt}, ${rows} rows, ${choices} unsubscriptions that wait to be applied.`,
      ...(hits > 0 ? [`${hits} opens and clicks were not recorded yet and are not in it.`] : []),
      holdsKey
        ? `It holds the master key (fingerprint ${key}).`
        : `It does not hold the master key (fingerprint ${key}): keep that apart, a restore needs it.`,
      ...removed.map((/** @type {string} */ old) => `Deleted ${old}.`),
    ],
  });

/** @param {Record<string, any>} values @param {string[]} positionals */
function targetOf({ to, keep }, [file, ...more]) {
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many.`);
  if ((file === undefined) === (to === undefined)) throw new UsageError('Name either FILE or --to DIR.');
  if (keep !== undefined && (to === undefined || !/^[1-9]\d{0,4}$/.test(keep))) {
    throw new UsageError('--keep takes a number from 1 on, together with --to.');
  }
  if (file !== undefined) return { file: file === '-' ? file : path.resolve(file), folder: '', keep: 0 };
  const folder = path.resolve(to);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const names = ['', ...Array.from({ length: 99 }, (_, n) => `-${n + 1}`)].map(
    (more) => `tidings-${stamp}${more}Z.backup`,
  );
  const free = names.find((name) => !existsSync(path.join(folder, name))) ?? '';
  return { file: path.join(folder, free), folder, keep: Number(keep ?? 0) };
}

/** @param {string} folder @param {number} keep @returns {string[]} files that were deleted */
function removeOld(folder, keep) {
  const old = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .reverse()
    .slice(keep)
    .map((name) => path.join(folder, name));
  for (const file of old) rmSync(file, { force: true });
  return old;
}

/**
 * Writes a file beside its place, readable by its owner only, and renames it when it is whole and on the disk.
 * @template T
 * @param {string} file
 * @param {(output: import('node:stream').Writable) => Promise<T>} write
 */
async function writeFile(file, write) {
  const draft = `${file}.${process.pid}.part`;
  try {
    rmSync(draft, { force: true });
    const result = await write(createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    const handle = await open(draft, 'r+');
    await handle.sync().finally(() => handle.close());
    renameSync(draft, file);
    return result;
  } catch (error) {
    rmSync(draft, { force: true });
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code && /^E(NOENT|ACCES|NOSPC|ROFS|ISDIR|PERM|DQUOT|IO)$/.test(code)) {
      throw new LaunchError(`The backup could not be written to ${file}: ${message}.`);
    }
    throw error;
  }
}

/**
 * @param {import('node:stream').Writable} output
 * @param {{ passphrase: string | undefined, holdsKey: boolean, isLogical: boolean, note: (line: string) => void }} options
 */
async function writeBackup(output, { passphrase, holdsKey, isLogical, note }) {
  const system = runningPlace();
  const { url, nats } = system;
  const key = await masterKey(system.dataDir, { given: process.env.MASTER_KEY, hasData: () => true });
  const server = await serverOf(url);
  const kind = isLogical || !system.isOwn ? 'LOGICAL' : 'PHYSICAL';
  const choices = await watchChoices(nats, system.buildDir);
  try {
    const hits = await untilHitsApplied(nats, HITS_PATIENCE_MS);
    /** @type {import('./manifest.mjs').First} */
    const first = {
      format: FORMAT,
      kind,
      startedAt: new Date().toISOString(),
      tidings: ownVersion(),
      ...server,
      platform: process.platform,
      arch: process.arch,
      keyFingerprint: keyFingerprint(key),
      holdsKey,
      namespace: nats.namespace,
    };
    const dump = kind === 'LOGICAL' ? logicalBackup(url, server.major) : null;
    const archive = await ArchiveWriter.start(output, { first, passphrase });
    if (holdsKey) await archive.add('master.key', Buffer.from(`${key}\n`));
    const facts = await (dump ? dump(archive) : baseBackup(url, archive));
    const waiting = await choices.list();
    await archive.add('choices.json', Buffer.from(JSON.stringify(waiting)));
    await archive.finish({ ...facts, choices: waiting.length, unapplied: { hits } });
    const rows = Object.values(facts.counts).reduce((sum, n) => sum + n, 0);
    const { takenAt, marker } = facts;
    return {
      summary: {
        kind,
        takenAt,
        marker,
        rows,
        choices: waiting.length,
        hits,
        keyFingerprint: first.keyFingerprint,
        holdsKey,
      },
      finish: () => noteFinished(url, marker),
    };
  } catch (error) {
    note('The backup failed; nothing was left behind.');
    throw error;
  } finally {
    await choices.close();
  }
}

/** Where the running system keeps its data: one that `npm start` runs here, or one that others run. */
function runningPlace() {
  const dataDir = dataDirectory();
  const system = runningSystem(dataDir);
  const { DATABASE_URL, NATS_URL, NATS_NAMESPACE, TIDINGS_BUILD_DIR } = { ...process.env, ...system?.environment };
  if (!DATABASE_URL || !NATS_URL || (!system && !process.env.MASTER_KEY)) {
    throw new UnreachableError(
      `No system runs on ${dataDir}. A backup is taken while it runs: start it with \`npm start\`, and give this command the same DATA_DIR.`,
    );
  }
  const buildDir = system?.buildDir ?? TIDINGS_BUILD_DIR;
  if (!buildDir) throw new UnreachableError('TIDINGS_BUILD_DIR is missing: it names the compiled project.');
  const own = runningDaemon(daemonFiles(dataDir, 'postgres').recordFile);
  return {
    dataDir,
    url: DATABASE_URL,
    buildDir,
    nats: { url: NATS_URL, namespace: NATS_NAMESPACE || 'tidings' },
    isOwn: own !== undefined && new URL(DATABASE_URL).port === String(own.port),
  };
}

/** @param {string} url */
async function serverOf(url) {
  const client = await connectPostgres(url);
  try {
    const { rows } = await client.query(
      `select current_setting('server_version') as postgres, current_setting('server_version_num')::int / 10000 as major`,
    );
    return /** @type {{ postgres: string, major: number }} */ (rows[0]);
  } finally {
    await client.end();
  }
}

/** Notes that the file is whole, for `tidings doctor`. @param {string} url @param {string} marker */
async function noteFinished(url, marker) {
  const client = await connectPostgres(url);
  try {
    await client.query('update domain.backup set finished_at = clock_timestamp() where backup_id = $1', [marker]);
    await client.query(`delete from domain.backup where started_at < clock_timestamp() - interval '400 days'`);
  } finally {
    await client.end();
  }
}
