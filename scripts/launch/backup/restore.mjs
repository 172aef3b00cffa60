import {
  chownSync,
  createWriteStream,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { daemonFiles, runningDaemon, stopDaemon } from '../daemon.mjs';
import { provideNats } from '../nats.mjs';
import { dataDirectory, makeDataDirectory, messageOf } from '../paths.mjs';
import { clusterPlace, giveTo, serverAccount } from '../postgres-account.mjs';
import { runnableBy } from '../postgres-binaries.mjs';
import { connectPostgres } from '../postgres-check.mjs';
import { clusterUrl, initCluster, majorOfCluster, startCluster, stopCluster } from '../postgres-cluster.mjs';
import { chooseBinaries } from '../postgres.mjs';
import { prepareBuild } from '../run-script.mjs';
import { derivedSecret, keyFingerprint } from '../secrets.mjs';
import { lockSystem } from '../system-lock.mjs';
import { LaunchError } from '../terminal.mjs';
import { readArchive, whole } from './archive.mjs';
import { passphraseOf, runCommand, UsageError } from './command-line.mjs';
import { restoreDump } from './logical.mjs';
import { FORMAT } from './manifest.mjs';
import { replaceContent } from './nats-content.mjs';
import { holdRestored, inFlight } from './restored-state.mjs';
import { beginSwap, finishSwap, hasSwap } from './swap.mjs';
import { verifyDatabase, wrongKey } from './verify.mjs';

const help = `Usage: tidings restore FILE [--replace] [--verify-only] [--passphrase-file FILE] [--json]

Makes a stopped, empty installation (DATA_DIR) hold what was backed up. The backup is recovered and checked apart first, and
takes its place only when all is well. Mail is held then until \`tidings mail release\`, and campaigns are paused.

  --replace                moves data that is there aside
  --verify-only            recovers and checks, and changes nothing
  --passphrase-file FILE   for a backup that is encrypted
  --json                   prints one JSON document`;

/** @typedef {import('./manifest.mjs').First} First @typedef {import('./manifest.mjs').Manifest} Manifest */

/** @param {string[]} args @returns {Promise<number>} exit status */
export const restore = (args) =>
  runCommand(args, {
    help,
    options: {
      replace: { type: 'boolean' },
      'verify-only': { type: 'boolean' },
      'passphrase-file': { type: 'string' },
    },
    run: async ({ values, positionals: [file, ...more], note }) => {
      if (file === undefined) throw new UsageError('FILE is missing.');
      if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many.`);
      const passphrase = passphraseOf(values['passphrase-file']);
      if (!existsSync(file)) throw new LaunchError(`${file} is not there.`);
      if (process.env.DATABASE_URL) throw new LaunchError(elsewhere);
      const dataDir = dataDirectory();
      makeDataDirectory(dataDir);
      const lock = lockSystem(dataDir);
      try {
        finishSwap(dataDir);
        const isReplacing = values.replace === true;
        const isTrial = values['verify-only'] === true;
        return await restoreInto(dataDir, { file: path.resolve(file), passphrase, isReplacing, isTrial, note });
      } finally {
        lock.release();
      }
    },
    lines: resultLines,
  });

const elsewhere =
  'DATABASE_URL names a server of your own. A restore there is its own tools’ work: see docs/guides/backup-and-restore.md, ' +
  '“External database”.';

/**
 * @param {string} dataDir
 * @param {{ file: string, passphrase: string | undefined, isReplacing: boolean, isTrial: boolean, note: (line: string) => void }} options
 */
async function restoreInto(dataDir, { file, passphrase, isReplacing, isTrial, note }) {
  const account = serverAccount();
  const place = clusterPlace(dataDir, account);
  const hasData = majorOfCluster(place) !== undefined;
  if (hasData && !isReplacing && !isTrial) {
    throw new LaunchError(
      `${dataDir} already holds a database. --replace moves it aside; --verify-only leaves it and checks the backup.`,
    );
  }
  const trial = { ...daemonFiles(dataDir, 'restore'), draft: `${place}.restore-${process.pid}` };
  await clearLeftovers(place, trial.recordFile);
  mkdirSync(trial.draft, { mode: 0o700 });
  try {
    note('Unpacking and checking …');
    const unpacked = await unpack(file, { dataDir, draft: trial.draft, passphrase, account });
    note('Recovering on a server apart …');
    const cluster = {
      place: trial.draft,
      binaries: unpacked.binaries,
      account,
      password: derivedSecret(unpacked.key, 'postgres'),
      forTests: false,
      fingerprint: unpacked.first.keyFingerprint,
      recordFile: trial.recordFile,
      logFile: trial.logFile,
    };
    const result = await recover(cluster, { ...unpacked, isTrial, note });
    if (!isTrial) {
      const nats = await prepareNats(dataDir, unpacked);
      const aside = await swapIn(dataDir, { place, draft: trial.draft, hasData, nats, key: unpacked.key });
      return { ...result, dataDir, isTrial, aside };
    }
    return { ...result, dataDir, isTrial, aside: null };
  } finally {
    await stopTrial(trial.recordFile);
    // A swap that failed half-way still needs it.
    if (!hasSwap(dataDir)) rmSync(trial.draft, { recursive: true, force: true });
    rmSync(trial.recordFile, { force: true });
  }
}

/** What a killed restore left. @param {string} place @param {string} recordFile */
async function clearLeftovers(place, recordFile) {
  await stopTrial(recordFile);
  const parent = path.dirname(place);
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    if (name.startsWith(`${path.basename(place)}.restore-`))
      rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}

/** @param {string} recordFile */
async function stopTrial(recordFile) {
  const running = runningDaemon(recordFile);
  if (running) await stopCluster(running);
}

/**
 * Unpacks an archive beside the database's place and checks its sums, its key and whether it can run here.
 * @param {string} file
 * @param {{ dataDir: string, draft: string, passphrase: string | undefined, account: import('../postgres-account.mjs').Account | undefined }} into
 */
async function unpack(file, { dataDir, draft, passphrase, account }) {
  /** @type {First | undefined} */
  let first;
  /** @type {string | undefined} */
  let key = givenKey(dataDir);
  let choices = /** @type {object[]} */ ([]);
  /** @type {import('../postgres-binaries.mjs').Binaries | undefined} */
  let binaries;
  giveTo(draft, account);
  const manifest = /** @type {Manifest} */ (
    await readArchive(file, {
      passphrase,
      onFirst: async (found) => {
        first = found;
        binaries = runnableBy(fittingBinaries(found), account);
        if (key && keyFingerprint(key) !== found.keyFingerprint) throw wrongKey(key, found.keyFingerprint);
        if (!key && !found.holdsKey) {
          throw new LaunchError(
            `The backup does not hold the master key. Put the key with the fingerprint ${found.keyFingerprint} into ` +
              'MASTER_KEY or into master.key of the data directory.',
          );
        }
      },
      onEntry: async ({ name, isDirectory, content }) => {
        if (name === 'master.key') {
          const held = String(await whole(content)).trim();
          key ??= held;
        } else if (name === 'choices.json') choices = JSON.parse(String(await whole(content)));
        else if (/^(postgres|database\.dump)\//.test(name))
          await place(path.join(draft, within(name)), { isDirectory, content });
      },
    })
  );
  if (!first || !key || !binaries) throw new LaunchError('The backup is damaged: it does not say what it is.');
  return { first, key, choices, binaries, manifest };

  /** @param {string} target @param {{ isDirectory: boolean, content: AsyncIterable<Buffer> }} entry */
  async function place(target, { isDirectory, content }) {
    if (isDirectory) {
      mkdirSync(target, { recursive: true, mode: 0o700 });
    } else {
      mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
      await pipeline(Readable.from(content), createWriteStream(target, { mode: 0o600, flags: 'wx' }));
    }
    if (account) chownSync(target, account.uid, account.gid);
  }
}

/** The path of an entry below the draft. @param {string} name */
function within(name) {
  const inner = path.posix.normalize(name.replace(/^postgres\//, ''));
  if (inner.startsWith('..') || path.posix.isAbsolute(inner)) throw new LaunchError(`The backup is damaged: ${name}.`);
  return inner;
}

/** MASTER_KEY, else the key in the data directory. @param {string} dataDir */
function givenKey(dataDir) {
  const file = path.join(dataDir, 'master.key');
  const key = process.env.MASTER_KEY || (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);
  if (key && !/^[0-9a-f]{64}$/i.test(key)) throw new LaunchError('The master key must be 64 hexadecimal digits.');
  return key?.toLowerCase();
}

/** @param {First} first */
function fittingBinaries({ format, kind, major, platform, arch }) {
  if (format > FORMAT) {
    throw new LaunchError(
      `The backup has format ${format}, which a newer version of Tidings wrote. Restore it with that one.`,
    );
  }
  if (kind === 'LOGICAL') return chooseBinaries(process.env.TIDINGS_POSTGRES, undefined, 'the backup');
  if (platform !== process.platform || arch !== process.arch) {
    throw new LaunchError(
      `The backup was taken on ${platform} ${arch}, and this is ${process.platform} ${process.arch}: files of PostgreSQL do ` +
        'not move between them. Take one with --logical there.',
    );
  }
  return chooseBinaries(process.env.TIDINGS_POSTGRES, major, 'the backup');
}

/**
 * Starts the unpacked database on a server apart, checks it, and writes the hold into it.
 * @param {import('../postgres-cluster.mjs').Cluster} cluster
 * @param {Awaited<ReturnType<typeof unpack>> & { isTrial: boolean, note: (line: string) => void }} backup
 */
async function recover(cluster, { first, manifest, key, isTrial, choices, note }) {
  const dump = path.join(cluster.place, 'database.dump');
  const target = first.kind === 'LOGICAL' ? { ...cluster, place: path.join(cluster.place, 'cluster') } : cluster;
  if (first.kind === 'LOGICAL') await initCluster(target);
  const running = await startCluster(target).catch((error) => {
    throw new LaunchError(`The backup could not be recovered: ${messageOf(error)}`);
  });
  const url = clusterUrl(target, running.port);
  if (first.kind === 'LOGICAL') await restoreDump(url, partsOf(dump), first.major);
  note('Reading every table …');
  const client = await connectPostgres(url);
  try {
    const checked = await verifyDatabase(client, { manifest, key });
    const flight = await inFlight(client);
    if (!isTrial) await holdRestored(client, manifest.takenAt);
    return {
      kind: first.kind,
      takenAt: manifest.takenAt,
      version: first.tidings,
      ...checked,
      flight,
      choices: choices.length,
      unapplied: manifest.unapplied,
    };
  } finally {
    await client.end();
    await stopCluster(running);
    rmSync(dump, { recursive: true, force: true });
  }
}

/** @param {string} folder @returns {AsyncIterable<Buffer>} */
async function* partsOf(folder) {
  for (const name of readdirSync(folder).sort()) yield readFileSync(path.join(folder, name));
}

/**
 * NATS as it must be after the restore: empty but for the choices. A server of our own gets a new store; the streams of
 * another are deleted.
 * @param {string} dataDir
 * @param {Awaited<ReturnType<typeof unpack>>} backup
 * @returns {Promise<string | null>} a folder that becomes our server's store; null when there is nothing to put back
 */
async function prepareNats(dataDir, { first, key, choices }) {
  const { NATS_URL, TIDINGS_NATS } = process.env;
  const content = { choices, buildDir: async () => process.env.TIDINGS_BUILD_DIR || (await prepareBuild()) };
  const namespace = process.env.NATS_NAMESPACE || first.namespace;
  if (NATS_URL && (!TIDINGS_NATS || TIDINGS_NATS === 'url')) {
    await replaceContent({ url: NATS_URL, namespace }, content);
    return null;
  }
  if (choices.length === 0) return null;
  const home = path.join(dataDir, 'restore.nats');
  rmSync(home, { recursive: true, force: true });
  const server = await provideNats({ dataDir: home, key, forced: TIDINGS_NATS, given: undefined });
  try {
    await replaceContent({ url: server.url, namespace }, content);
  } finally {
    await server.stop();
  }
  return path.join(home, 'nats/store');
}

/**
 * @param {string} dataDir
 * @param {{ place: string, draft: string, hasData: boolean, nats: string | null, key: string }} restored
 * @returns {Promise<string[]>} where data that was there lies now
 */
async function swapIn(dataDir, { place, draft, hasData, nats, key }) {
  for (const name of ['postgres', 'nats']) {
    const left = runningDaemon(daemonFiles(dataDir, name).recordFile);
    if (left) await stopDaemon(left, { signal: name === 'nats' ? 'SIGTERM' : 'SIGINT', patienceMs: 20_000 });
  }
  const keyFile = path.join(dataDir, 'master.key');
  if (!process.env.MASTER_KEY && !existsSync(keyFile)) {
    writeFileSync(`${keyFile}.restore`, `${key}\n`, { mode: 0o600, flush: true });
    linkSync(`${keyFile}.restore`, keyFile);
    rmSync(`${keyFile}.restore`);
  }
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const store = path.join(dataDir, 'nats/store');
  mkdirSync(path.dirname(store), { recursive: true, mode: 0o700 });
  const aside = [place, store].map((from) => ({ from, to: `${from}.before-${stamp}` }));
  const inner = path.join(draft, 'cluster');
  beginSwap(dataDir, {
    renames: [
      ...(hasData ? aside : aside.slice(1)),
      { from: existsSync(inner) ? inner : draft, to: place },
      ...(nats ? [{ from: nats, to: store }] : []),
    ],
    removes: [path.join(dataDir, 'restore.nats'), ...(hasData ? [] : [`${store}.before-${stamp}`])],
  });
  return hasData ? aside.map(({ to }) => to).filter((folder) => existsSync(folder)) : [];
}

/** @param {any} result @returns {string[]} */
function resultLines({ isTrial, dataDir, takenAt, tables, rows, differences, flight, choices, unapplied, aside }) {
  const { campaigns, starting, overdue, queued, inDoubt, repeated } = flight;
  const counted = differences.map(
    (/** @type {any} */ one) => `  ${one.table}: ${one.backedUp} counted, ${one.restored} restored`,
  );
  const checked = `The backup is whole: the state of ${takenAt}, ${tables} tables with ${rows} rows were read.`;
  return [
    checked,
    ...(counted.length > 0 ? ['Tables that changed between their count and the end of the backup:', ...counted] : []),
    '',
    'In progress when it was taken:',
    ...campaigns.map(
      (/** @type {any} */ one) =>
        `  campaign “${one.name}”: ${one.sent} of ${one.total} sent, ${one.inDoubt} in doubt, ${one.open} open${isTrial ? '' : '; it is PAUSED (RESTORED)'}`,
    ),
    ...(starting + overdue > 0
      ? [`  ${starting + overdue} campaigns that were about to start; they start PAUSED while mail is held`]
      : []),
    `  ${queued} single messages were queued, ${inDoubt} are in doubt, ${repeated} were on the wire and go out again`,
    `  ${choices} unsubscriptions were not applied yet; they are applied at the start`,
    ...(unapplied?.hits > 0 ? [`  ${unapplied.hits} opens and clicks were not recorded and are lost`] : []),
    '  an import by `tidings import` is not resumed: run it again, rows that are there are updated',
    '',
    `What happened after ${takenAt} is undone: deletions and erasures of people since then must be made again.`,
    ...(aside?.length > 0 ? [`Data that was there lies in ${aside.join(' and ')}.`] : []),
    ...(isTrial
      ? ['Nothing was changed.']
      : [
          `Restored into ${dataDir}. Start it with \`npm start\`. Mail is HELD: compare with the relay's log what went out`,
          `after ${takenAt}, then \`tidings mail release\`, and resume each campaign or stop it.`,
        ]),
  ];
}
