import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { LaunchError } from '../terminal.mjs';

/**
 * An archive is a tar file, compressed with gzip and, with a passphrase, encrypted as an age file (age-encryption.org/v1).
 * Its first entry says what it is, its last one holds the SHA-256 of every entry between them.
 */
const FIRST = 'backup.json';
const LAST = 'manifest.json';
const AGE_MAGIC = 'age-encryption.org/v1';

/** @typedef {Record<string, string>} Sums SHA-256 in hex by name of entry */

/** Writes an archive to a stream. */
export class ArchiveWriter {
  #pack = tar.pack();
  /** @type {Sums} */
  #sums = {};
  /** @type {Promise<void>} */
  #written;

  /**
   * @param {import('node:stream').Writable} output
   * @param {{ first: object, passphrase: string | undefined, workFactor?: number }} options
   *   workFactor: logarithm of what a guess at the passphrase costs (scrypt); less only in tests
   */
  static async start(output, { first, passphrase, workFactor }) {
    const gzip = createGzip({ level: 3 });
    const encrypted = passphrase ? await encrypt(gzip, passphrase, workFactor) : gzip;
    const archive = new ArchiveWriter(output, gzip, encrypted);
    await archive.#add(FIRST, json(first));
    return archive;
  }

  /**
   * @param {import('node:stream').Writable} output
   * @param {import('node:stream').Duplex} gzip
   * @param {import('node:stream').Readable} result
   */
  constructor(output, gzip, result) {
    this.#written = Promise.all([pipeline(this.#pack, gzip), pipeline(result, output)]).then(() => {});
    // Awaited by `finish`; before that an error ends the entry that is being written.
    this.#written.catch(() => {});
  }

  /** @param {string} name @param {Buffer} content */
  async add(name, content) {
    this.#sums[name] = sha256(content);
    await this.#add(name, content);
  }

  /** @param {string} name */
  async addDirectory(name) {
    await this.#whole((done) => this.#pack.entry({ name: `${name}/`, type: 'directory', mode: 0o700 }, done));
  }

  /**
   * Adds a file that another process may be writing: as many bytes as it has now, padded with zeros when it is cut
   * meanwhile.
   * @param {string} name
   * @param {string} file
   * @returns {Promise<boolean>} false when the file is gone
   */
  async addFile(name, file) {
    const handle = await open(file, 'r').catch(unlessGone);
    if (!handle) return false;
    try {
      const { size } = await handle.stat();
      const hash = createHash('sha256');
      await this.#whole(async (done) => {
        const entry = this.#pack.entry({ name, size, mode: 0o600 }, done);
        for (let left = size; left > 0;) {
          const chunk = Buffer.alloc(Math.min(left, 1 << 18));
          const { bytesRead } = await handle.read(chunk, 0, chunk.length);
          // A file that was truncated meanwhile is padded with zeros to its size.
          const part = bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead);
          hash.update(part);
          left -= part.length;
          if (!entry.write(part)) await Promise.race([once(entry, 'drain'), this.#written]);
        }
        entry.end(undefined);
      });
      this.#sums[name] = hash.digest('hex');
      return true;
    } finally {
      await handle.close();
    }
  }

  /** Ends the archive with its manifest. @param {object} manifest */
  async finish(manifest) {
    await this.#add(LAST, json({ ...manifest, sums: this.#sums }));
    this.#pack.finalize();
    await this.#written;
  }

  /** @param {string} name @param {Buffer} content */
  async #add(name, content) {
    await this.#whole((done) => this.#pack.entry({ name, mode: 0o600 }, content, done));
  }

  /** @param {(done: (error?: Error | null) => void) => unknown} begin */
  async #whole(begin) {
    /** @type {Promise<void>} */
    const added = new Promise((resolve, reject) => {
      const started = begin((error) => (error ? reject(error) : resolve()));
      if (started instanceof Promise) started.catch(reject);
    });
    await Promise.race([added, this.#written]);
    await added;
  }
}

/**
 * Reads an archive and checks it: its sums, and that it is whole. `onFirst` is given what it is before anything else is
 * read, and may refuse it by throwing; `onEntry` takes the content of each entry.
 * @param {string} file
 * @param {object} options
 * @param {string | undefined} options.passphrase
 * @param {(first: any) => Promise<void>} options.onFirst
 * @param {(entry: { name: string, isDirectory: boolean, content: AsyncIterable<Buffer> }) => Promise<void>} options.onEntry
 * @returns {Promise<any>} the manifest
 */
export async function readArchive(file, { passphrase, onFirst, onEntry }) {
  const input = await decrypted(file, passphrase);
  const gunzip = createGunzip();
  const extract = tar.extract();
  // An error of any part is thrown by the loop below.
  const fed = pipeline(input, gunzip, extract);
  fed.catch(() => {});
  /** @type {Sums} */
  const sums = {};
  let manifest;
  let isFirst = true;
  try {
    for await (const read of extract) {
      const entry = /** @type {import('node:stream').Readable} */ (/** @type {unknown} */ (read));
      const { name, type } = read.header;
      if (isFirst !== (name === FIRST)) throw new DamagedError('it does not begin as a backup of Tidings does');
      if (isFirst) await onFirst(JSON.parse(String(await whole(entry))));
      else if (name === LAST) manifest = JSON.parse(String(await whole(entry)));
      else if (type === 'directory') {
        await onEntry({ name, isDirectory: true, content: entry });
        entry.resume();
      } else {
        const hash = createHash('sha256');
        await onEntry({ name, isDirectory: false, content: hashed(entry, hash) });
        sums[name] = hash.digest('hex');
      }
      isFirst = false;
    }
    await fed;
  } catch (error) {
    fed.catch(() => {});
    if (error instanceof LaunchError) throw error;
    throw new DamagedError(/** @type {Error} */ (error).message);
  }
  if (!manifest) throw new DamagedError('its end is missing');
  const expected = /** @type {Sums} */ (manifest.sums);
  const wrong = Object.keys({ ...expected, ...sums }).find((name) => expected[name] !== sums[name]);
  if (wrong) throw new DamagedError(`${wrong} is not what was backed up`);
  return manifest;
}

export class DamagedError extends LaunchError {
  /** @param {string} why */
  constructor(why) {
    super(`The backup is damaged: ${why}. Nothing was changed; use another copy of it.`);
  }
}

/** @param {import('node:stream').Readable} source @param {string} passphrase @param {number} [workFactor] */
async function encrypt(source, passphrase, workFactor) {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  if (workFactor) encrypter.setScryptWorkFactor(workFactor);
  const web = /** @type {ReadableStream<Uint8Array>} */ (Readable.toWeb(source));
  return Readable.fromWeb(/** @type {any} */ (await encrypter.encrypt(web)));
}

/** @param {string} file @param {string | undefined} passphrase */
async function decrypted(file, passphrase) {
  const handle = await open(file, 'r').catch((/** @type {Error} */ error) => {
    throw new LaunchError(`${file} cannot be read: ${error.message}.`);
  });
  const head = Buffer.alloc(AGE_MAGIC.length);
  await handle.read(head, 0, head.length, 0).finally(() => handle.close());
  const source = createReadStream(file);
  if (String(head) !== AGE_MAGIC) return source;
  if (!passphrase)
    throw new LaunchError(`${file} is encrypted: name the file of its passphrase with --passphrase-file.`);
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    const web = /** @type {ReadableStream<Uint8Array>} */ (Readable.toWeb(source));
    return Readable.fromWeb(/** @type {any} */ (await decrypter.decrypt(web)));
  } catch (error) {
    source.destroy();
    throw new LaunchError(
      `${file} cannot be decrypted: ${/** @type {Error} */ (error).message}. Is it another passphrase?`,
    );
  }
}

/** @param {AsyncIterable<Buffer>} source @param {import('node:crypto').Hash} hash */
async function* hashed(source, hash) {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

/** @param {AsyncIterable<Buffer>} content */
export async function whole(content) {
  const chunks = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** @param {Buffer} content */
const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/** @param {object} value */
const json = (value) => Buffer.from(`${JSON.stringify(value, undefined, 1)}\n`);

/** @param {NodeJS.ErrnoException} error */
function unlessGone(error) {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
