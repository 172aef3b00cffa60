import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../paths.mjs';
import { keyFingerprint } from '../secrets.mjs';
import { LaunchError } from '../terminal.mjs';
import { contentsOf, SCHEMAS } from './base-backup.mjs';

/** Rows by which a table may differ from the manifest: commits between its count and the end of the backup. */
const allowedDifference = (/** @type {number} */ count) => Math.max(1_000, count / 100);

/**
 * Checks a restored database: the row of its backup, its key, its migrations, and every table. A migration must exist
 * in this version; each table is read whole and counted.
 * @param {any} client of the owner
 * @param {{ manifest: import('./manifest.mjs').Manifest, key: string }} expected
 * @returns {Promise<{ tables: number, rows: number, differences: { table: string, backedUp: number, restored: number }[] }>}
 *   differences: tables whose count is near the manifest's and not equal
 */
export async function verifyDatabase(client, { manifest, key }) {
  const { rowCount } = await client.query('select from domain.backup where backup_id = $1', [manifest.marker]);
  if (rowCount !== 1)
    throw new LaunchError('The restored database lacks what was committed last before the backup ended.');
  await assertKeyOpens(client, key);
  const { migrations, counts } = await contentsOf(client);
  for (const schema of SCHEMAS) {
    const [restored, backedUp] = [migrations[schema] ?? [], manifest.migrations[schema] ?? []];
    if (restored.join() !== backedUp.join())
      throw new LaunchError(`The migrations of ${schema} are not those of the backup.`);
    const unknown = restored.filter((name) => !isKnownMigration(schema, name));
    if (unknown.length > 0) {
      throw new LaunchError(
        `The backup was taken by a newer version of Tidings (${schema}: ${unknown.join(', ')}). Restore it with that version.`,
      );
    }
  }
  const tables = [...new Set([...Object.keys(manifest.counts), ...Object.keys(counts)])];
  const differences = tables
    .map((table) => ({ table, backedUp: manifest.counts[table] ?? 0, restored: counts[table] ?? 0 }))
    .filter(({ backedUp, restored }) => backedUp !== restored);
  const grave = differences.filter(
    ({ backedUp, restored }) => Math.abs(backedUp - restored) > allowedDifference(backedUp),
  );
  if (grave.length > 0) {
    const said = grave.map(({ table, backedUp, restored }) => `${table}: ${backedUp} backed up, ${restored} restored`);
    throw new LaunchError(`The restored database does not hold what was backed up:\n  ${said.join('\n  ')}`);
  }
  return { tables: Object.keys(counts).length, rows: Object.values(counts).reduce((a, b) => a + b, 0), differences };
}

/**
 * Refuses a master key that does not open the database. Each schema records its key's fingerprint from the migration on
 * that adds the check. The password of our own server, derived from the key, was accepted before.
 * @param {any} client
 * @param {string} key
 */
async function assertKeyOpens(client, key) {
  for (const schema of SCHEMAS) {
    const { rows } = await client.query(`select to_regclass($1) as found`, [`${schema}.master_key_check`]);
    if (rows[0].found === null) continue;
    const recorded = await client.query(`select fingerprint from ${schema}.master_key_check`);
    const expected = recorded.rows[0]?.fingerprint;
    if (expected !== undefined && expected !== keyFingerprint(key)) throw wrongKey(key, expected);
  }
}

/** @param {string} key @param {string} expected fingerprint */
export const wrongKey = (key, expected) =>
  new LaunchError(
    `The master key given here is another one (fingerprint ${keyFingerprint(key)}): the backup needs the key with the ` +
      `fingerprint ${expected}. Put it into MASTER_KEY or into master.key of the data directory. Nothing was changed.`,
  );

/** Whether this checkout has a migration, known by the number at the end of its name. @param {string} schema @param {string} name */
function isKnownMigration(schema, name) {
  const folder = path.join(ROOT, 'apps', schema, 'migrations');
  const shared = path.join(ROOT, 'libs/database/src');
  const own = readdirSync(folder).map((file) => /^\d{13}/.exec(file)?.[0]);
  const others = readdirSync(shared).flatMap((file) =>
    file.endsWith('.ts')
      ? (readFileSync(path.join(shared, file), 'utf8').match(/(?<=class \w+)\d{13}(?= )/g) ?? [])
      : [],
  );
  return [...own, ...others].includes(/\d{13}$/.exec(name)?.[0]);
}
