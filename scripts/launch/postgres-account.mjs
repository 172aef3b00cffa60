import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { messageOf } from './paths.mjs';
import { LaunchError } from './terminal.mjs';

/**
 * PostgreSQL refuses to run as root, so root's server runs as another account.
 * @typedef {{ name: string, uid: number, gid: number }} Account
 */

/** Root's place for the data of daemons (FHS 5.8): unlike /var/tmp, nothing there is cleaned away by age. */
const ROOT_STATE_FOLDER = '/var/lib/tidings';

/**
 * The account to drop to: `postgres` where it exists, else `nobody`; undefined when we are no root ourselves.
 * @returns {Account | undefined}
 */
export function serverAccount() {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name: name ?? '', uid: Number(uid), gid: Number(gid) }));
  const account = ['postgres', 'nobody'].map((wanted) => accounts.find(({ name }) => name === wanted)).find(Boolean);
  if (!account)
    throw new LaunchError('PostgreSQL does not run as root, and here is no account `postgres` or `nobody`.');
  return account;
}

/**
 * Where the cluster lies. An account that may not pass the folders above the data directory (a checkout below /root)
 * gets its cluster under /var/lib/tidings, and `postgres` in the data directory becomes a link to it.
 * @param {string} dataDir
 * @param {Account | undefined} account
 * @returns {string} the folder itself, no link; it may not exist yet, its parent does
 */
export function clusterPlace(dataDir, account) {
  const place = path.join(dataDir, 'postgres');
  const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink();
  if (!isLink && (existsSync(place) || !account || mayEnter(dataDir, account))) return place;

  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12);
  const target = isLink ? path.resolve(dataDir, readlinkSync(place)) : path.join(ROOT_STATE_FOLDER, name, 'postgres');
  try {
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new LaunchError(
      `${account?.name ?? 'This account'} may not enter ${dataDir}, and PostgreSQL's data cannot be kept in ${target} ` +
        `instead (${messageOf(error)}). Set DATA_DIR to a folder that everyone may enter.`,
    );
  }
  if (!isLink) symlinkSync(target, place);
  return target;
}

/**
 * True when the account may pass every folder down to this one.
 * @param {string} folder
 * @param {Account} account
 */
export function mayEnter(folder, { uid, gid }) {
  const steps = [realpathSync(folder)];
  while (steps[0] !== path.dirname(steps[0] ?? '/')) steps.unshift(path.dirname(steps[0] ?? '/'));
  return steps.every((step) => {
    const { mode, uid: owner, gid: group } = statSync(step);
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    return (mode & bit) !== 0;
  });
}

/**
 * Gives a file or folder to the account; nothing to do when we are no root.
 * @param {string} target
 * @param {Account | undefined} account
 */
export function giveTo(target, account) {
  if (account) chownSync(target, account.uid, account.gid);
}
