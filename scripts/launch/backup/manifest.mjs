import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../paths.mjs';

/** Raised when an older restore could not read what a newer backup writes. */
export const FORMAT = 1;

/**
 * What an archive says first of itself.
 * @typedef {object} First
 * @property {number} format
 * @property {'PHYSICAL' | 'LOGICAL'} kind
 * @property {string} startedAt
 * @property {string} tidings version
 * @property {string} postgres version of the server
 * @property {number} major
 * @property {string} platform
 * @property {string} arch
 * @property {string} keyFingerprint
 * @property {boolean} holdsKey
 * @property {string} namespace of the system's subjects at NATS
 */

/**
 * What an archive says last.
 * @typedef {import('./base-backup.mjs').Facts & { choices: number, unapplied: Record<string, number>, sums: import('./archive.mjs').Sums }} Manifest
 */

/** The version of this checkout. */
export function ownVersion() {
  return /** @type {string} */ (JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version);
}
