import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { connectPostgres } from '../postgres-check.mjs';
import { LaunchError } from '../terminal.mjs';

/**
 * A base backup of a running server over plain connections (PostgreSQL's manual, 26.3.3, "Making a Base Backup Using the
 * Low Level API"): the packaged servers bring no pg_basebackup.
 */

/** Contents that the server makes itself at a start (manual, 26.3.3.2); their folders are kept. */
const EMPTIED = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|current_logfiles)$|(^|\/)(pgsql_tmp|pg_internal\.init)/;
const CONTROL_FILE = 'global/pg_control';
/** Name of a write-ahead log segment. */
const SEGMENT = /^[0-9A-F]{24}$/;

/** Service schemas, each with its own tables and migrations. */
export const SCHEMAS = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'];

/**
 * @typedef {object} Facts what the database held at the end of the backup
 * @property {string} marker id of the row in domain.backup that a restored database must hold
 * @property {string} takenAt
 * @property {string} startLsn
 * @property {string} stopLsn
 * @property {Record<string, string[]>} migrations by schema
 * @property {Record<string, number>} counts rows by table, taken within moments of the end
 */

/**
 * Copies the data directory of a running server into an archive, including every commit before the end of the backup.
 * @param {string} url of the owner, who is a superuser
 * @param {import('./archive.mjs').ArchiveWriter} archive
 * @param {{ beforeEnd?: () => Promise<void> }} [hooks] for tests
 * @returns {Promise<Facts>}
 */
export async function baseBackup(url, archive, { beforeEnd } = {}) {
  // A backup belongs to its session: when that ends early, the server forgets the backup and the slot.
  const session = await connectPostgres(url);
  try {
    const { rows } = await session.query(`select current_setting('data_directory') as place,
      (select count(*)::int from pg_tablespace where spcname not in ('pg_default', 'pg_global')) as tablespaces`);
    const place = /** @type {string} */ (rows[0].place);
    if (rows[0].tablespaces > 0) {
      throw new LaunchError(
        'The database has tablespaces elsewhere, which a physical backup does not follow. Use --logical.',
      );
    }
    await session.query(`select pg_create_physical_replication_slot($1, true, true)`, [
      `tidings_backup_${randomUUID().slice(0, 8)}`,
    ]);
    const start = await session.query(
      `select lsn::text, pg_walfile_name(lsn) as segment from pg_backup_start('tidings', true) lsn`,
    );
    const { lsn: startLsn, segment: firstSegment } = start.rows[0];
    await copyFolder(archive, place, '');
    // Last, and alone: the server writes it in one go.
    await archive.add(`postgres/${CONTROL_FILE}`, await stableContent(path.join(place, CONTROL_FILE)));
    await beforeEnd?.();
    return await end({ session, url, archive, place, startLsn, firstSegment });
  } finally {
    await session.end().catch(() => {});
  }
}

/**
 * @param {{ session: any, url: string, archive: import('./archive.mjs').ArchiveWriter, place: string, startLsn: string, firstSegment: string }} backup
 * @returns {Promise<Facts>}
 */
async function end({ session, url, archive, place, startLsn, firstSegment }) {
  const marker = await insertMarker(session, 'PHYSICAL');
  const counting = await connectPostgres(url);
  try {
    // Its snapshot is taken now and read at leisure later.
    await counting.query('begin transaction isolation level repeatable read read only');
    const { rows: now } = await counting.query('select clock_timestamp() as at');
    const stop = await session.query(
      `select lsn::text, pg_walfile_name(lsn) as segment, labelfile from pg_backup_stop(false)`,
    );
    const { lsn: stopLsn, segment: lastSegment, labelfile } = stop.rows[0];
    await archive.add('postgres/backup_label', Buffer.from(labelfile));
    const segments = (await readdir(path.join(place, 'pg_wal')))
      .filter((name) => SEGMENT.test(name) && name >= firstSegment && name <= lastSegment)
      .sort();
    if (segments[0] !== firstSegment || segments.at(-1) !== lastSegment) {
      throw new Error(`the write-ahead log from ${firstSegment} to ${lastSegment} is not there`);
    }
    for (const name of segments) await archive.addFile(`postgres/pg_wal/${name}`, path.join(place, 'pg_wal', name));
    const facts = { marker, takenAt: now[0].at.toISOString(), startLsn, stopLsn };
    return { ...facts, ...(await contentsOf(counting)) };
  } finally {
    await counting.end();
  }
}

/**
 * Notes a backup that is being taken. @param {{ query: Function }} client @param {'PHYSICAL' | 'LOGICAL'} kind
 * @returns {Promise<string>} its id
 */
export async function insertMarker(client, kind) {
  const { rows } = await client.query(
    `insert into domain.backup (backup_id, kind) values (gen_random_uuid(), $1) returning backup_id`,
    [kind],
  );
  return rows[0].backup_id;
}

/**
 * Migrations and row counts of the services' schemas, as the client's transaction sees them. Unlogged tables are empty after
 * a recovery and are left out.
 * @param {any} client
 * @returns {Promise<Pick<Facts, 'migrations' | 'counts'>>}
 */
export async function contentsOf(client) {
  const { rows } = await client.query(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'r' and c.relpersistence = 'p' order by 1, 2`,
    [SCHEMAS],
  );
  /** @type {Record<string, number>} */
  const counts = {};
  /** @type {Record<string, string[]>} */
  const migrations = {};
  for (const { schema, name } of rows) {
    const table = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`;
    counts[`${schema}.${name}`] = Number((await client.query(`select count(*) as n from only ${table}`)).rows[0].n);
    if (name !== 'migration') continue;
    const known = await client.query(`select name from ${table} order by id`);
    migrations[schema] = known.rows.map((/** @type {{ name: string }} */ row) => row.name);
  }
  return { migrations, counts };
}

/**
 * @param {import('./archive.mjs').ArchiveWriter} archive
 * @param {string} place
 * @param {string} below folder below the data directory
 */
async function copyFolder(archive, place, below) {
  const entries = await readdir(path.join(place, below), { withFileTypes: true }).catch((error) => {
    // A database that is dropped meanwhile.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries) {
    const name = path.posix.join(below, entry.name);
    if (name === CONTROL_FILE || LEFT_OUT.test(name)) continue;
    if (entry.isDirectory()) {
      await archive.addDirectory(`postgres/${name}`);
      if (!EMPTIED.includes(name)) await copyFolder(archive, place, name);
      else if (name === 'pg_wal') await archive.addDirectory('postgres/pg_wal/archive_status');
    } else if (entry.isFile()) {
      await archive.addFile(`postgres/${name}`, path.join(place, name));
    }
  }
}

/** The content of a file that is overwritten whole: read until two reads agree. @param {string} file */
async function stableContent(file) {
  for (let before = await readFile(file); ;) {
    const after = await readFile(file);
    if (after.equals(before)) return after;
    before = after;
  }
}
