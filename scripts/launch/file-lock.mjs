import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { eventually, isRunning, ownRecord } from './process-record.mjs';
import { LaunchError } from './terminal.mjs';

/**
 * Takes a lock file that names this process, or answers who holds it. A lock whose holder is dead is taken over: by one
 * taker at a time, because removing it needs a lock named after its content.
 * @param {string} file
 * @returns {{ release(): void } | { holder: import('./process-record.mjs').ProcessRecord }}
 */
export function tryLock(file) {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(ownRecord()), { mode: 0o600 });
  try {
    for (;;) {
      if (linked(draft, file)) return { release: () => rmSync(file, { force: true }) };
      const content = contentOf(file);
      if (content === undefined) continue;
      const holder = holderIn(content);
      if (holder && isRunning(holder)) return { holder };
      const takeover = tryLock(`${file}.${createHash('sha256').update(content).digest('hex').slice(0, 8)}`);
      if ('holder' in takeover) return takeover;
      if (contentOf(file) === content) rmSync(file, { force: true });
      takeover.release();
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Runs the work while holding the lock; waits for its turn.
 * @template T
 * @param {string} file
 * @param {{ purpose: string, patienceMs: number }} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, { purpose, patienceMs }, work) {
  let lock = tryLock(file);
  await eventually(() => {
    if ('holder' in lock) lock = tryLock(file);
    return 'release' in lock;
  }, patienceMs);
  if ('holder' in lock) {
    throw new LaunchError(`Process ${lock.holder.pid} has been ${purpose} for too long; end it and try again.`);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** A hard link appears with its content, or not at all. @param {string} draft @param {string} file */
function linked(draft, file) {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Returns the holder named in the file, else undefined: after a machine crash the content may be missing.
 * @param {string} content
 * @returns {import('./process-record.mjs').ProcessRecord | undefined}
 */
function holderIn(content) {
  try {
    return JSON.parse(content) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} file */
function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
