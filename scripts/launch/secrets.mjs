import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LaunchError } from './terminal.mjs';

const KEY_SHAPE = /^[0-9a-f]{64}$/i;

/**
 * The master key in hex (32 bytes): MASTER_KEY, else the file in the data directory, made at the first start. A key
 * that went missing is never replaced while there is data sealed with it.
 * @param {string} dataDir
 * @param {{ given?: string | undefined, hasData: () => Promise<boolean> | boolean }} options
 * @returns {Promise<string>}
 */
export async function masterKey(dataDir, { given, hasData }) {
  const file = path.join(dataDir, 'master.key');
  const key = given || readKeyFile(file);
  if (key) {
    if (KEY_SHAPE.test(key)) return key.toLowerCase();
    const place = given ? 'MASTER_KEY' : file;
    throw new LaunchError(
      `${place} must hold 64 hexadecimal digits (32 bytes), as \`openssl rand -hex 32\` prints them.`,
    );
  }
  if (await hasData()) {
    throw new LaunchError(
      `The master key is missing, and the database already holds data sealed with it. Put the key back into ${file} ` +
        '(64 hexadecimal digits, mode 0600) or into MASTER_KEY. It is never created again while data exists.',
    );
  }
  return makeKeyFile(file);
}

/** @param {string} file */
function readKeyFile(file) {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw new LaunchError(`${file} cannot be read: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} file */
function makeKeyFile(file) {
  const key = randomBytes(32).toString('hex');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return key;
}

/**
 * A secret for one purpose, derived from the master key (HKDF-SHA-256); 32 characters safe in URLs and config files. The
 * launcher runs before anything is compiled, so it cannot share `deriveSecret` of the services.
 * @param {string} key the master key in hex
 * @param {string} purpose
 */
export function derivedSecret(key, purpose) {
  const bytes = hkdfSync('sha256', Buffer.from(key, 'hex'), 'tidings', purpose, 24);
  return Buffer.from(bytes).toString('base64url');
}

/**
 * Names a master key without revealing it: eight hex digits. The same as `masterKeyFingerprint` of the services, for the
 * steps of a start before anything is compiled.
 * @param {string} key the master key in hex
 */
export function keyFingerprint(key) {
  const derived = Buffer.from(hkdfSync('sha256', Buffer.from(key, 'hex'), '', 'tidings/fingerprint', 32));
  return createHash('sha256').update(derived).digest('hex').slice(0, 8);
}
