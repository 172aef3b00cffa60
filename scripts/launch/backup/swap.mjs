import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readJson, writeJson } from '../process-record.mjs';

/**
 * A restore takes its place by a few renames. They are written down first, so that a process that is killed between two of
 * them leaves them to the next start or restore: an installation never begins without its database.
 * @typedef {{ renames: { from: string, to: string }[], removes: string[] }} Swap
 */

/** @param {string} dataDir */
const swapFile = (dataDir) => path.join(dataDir, 'restore.json');

/** True while a swap is not finished. @param {string} dataDir */
export const hasSwap = (dataDir) => existsSync(swapFile(dataDir));

/** @param {string} dataDir @param {Swap} swap */
export function beginSwap(dataDir, swap) {
  writeJson(swapFile(dataDir), swap);
  finishSwap(dataDir);
}

/**
 * Completes an unfinished swap; does nothing without one.
 * @param {string} dataDir
 */
export function finishSwap(dataDir) {
  const swap = /** @type {Swap | undefined} */ (readJson(swapFile(dataDir)));
  if (!swap) return;
  for (const { from, to } of swap.renames) {
    if (existsSync(to) || !lstatSync(from, { throwIfNoEntry: false })) continue;
    renameSync(from, to);
  }
  for (const gone of swap.removes) rmSync(gone, { recursive: true, force: true });
  rmSync(swapFile(dataDir), { force: true });
}
