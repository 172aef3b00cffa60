import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Licences (SPDX identifiers) whose terms allow distribution as part of a work under Apache-2.0. */
export const allowedLicences = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Unlicense',
]);

/**
 * A package under a licence outside the list, and why it may be used all the same.
 * @typedef {{ packages: RegExp, licence: string, reason: string }} LicenceException
 * @type {LicenceException[]}
 */
export const licenceExceptions = [
  {
    packages: /^argparse$/,
    licence: 'PSF-2.0',
    reason:
      'The licence of Python permits use and distribution like BSD. The package serves the command of markdown-it.',
  },
  {
    packages: /^lightningcss(-|$)/,
    licence: 'MPL-2.0',
    reason: 'It compiles the style sheets of the dashboard, unmodified; nothing of it is in what is built or shipped.',
  },
  {
    packages: /^@img\/sharp-/,
    licence: 'LGPL-3.0-or-later',
    reason:
      'libvips is a shared library in a package of its own: unmodified, loaded at run time, and replaceable (LGPL 4d).',
  },
];

/** @typedef {{ packages: Record<string, { version?: string, license?: string, dev?: boolean, link?: boolean }> }} Lockfile */

/**
 * Checks the licence of every production dependency of a lockfile (npm, lockfileVersion 2 or 3).
 * @param {Lockfile} lockfile
 * @param {LicenceException[]} [exceptions]
 * @returns {{ checked: number, problems: string[] }} the number of packages, and one line for each violation
 */
export function checkLicences(lockfile, exceptions = licenceExceptions) {
  const used = new Set();
  const production = Object.entries(lockfile.packages).filter(
    ([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link,
  );
  const problems = production.flatMap(([place, { version, license }]) => {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (!license) return [`${name}@${version} states no licence`];
    const permits = (/** @type {string} */ licence) => {
      if (allowedLicences.has(licence)) return true;
      const exception = exceptions.find((one) => one.licence === licence && one.packages.test(name));
      if (exception) used.add(exception);
      return exception !== undefined;
    };
    return satisfies(license, permits) ? [] : [`${name}@${version} is under ${license}`];
  });
  const stale = exceptions.filter((exception) => !used.has(exception));
  return {
    checked: production.length,
    problems: [
      ...problems,
      ...stale.map(({ packages, licence }) => `the exception ${packages} for ${licence} matches no package: remove it`),
    ],
  };
}

/**
 * Whether an SPDX expression (SPDX 2.3, annex D) can be met: AND needs both sides, OR one; AND binds closer.
 * @param {string} expression
 * @param {(licence: string) => boolean} permits decides on one identifier, or on `<licence> WITH <exception>`
 */
function satisfies(expression, permits) {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const any = () => {
    const sides = [all()];
    while (tokens[at] === 'OR') {
      at += 1;
      sides.push(all());
    }
    return sides.includes(true);
  };
  const all = () => {
    const sides = [one()];
    while (tokens[at] === 'AND') {
      at += 1;
      sides.push(one());
    }
    return !sides.includes(false);
  };
  /** @returns {boolean} */
  const one = () => {
    const token = tokens[at++];
    if (token === '(') {
      const inner = any();
      return tokens[at++] === ')' && inner;
    }
    if (token === undefined) return false;
    if (tokens[at] !== 'WITH') return permits(token);
    at += 2;
    return permits(`${token} WITH ${tokens[at - 1]}`);
  };
  return any() && at === tokens.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.argv[2] ?? path.join(import.meta.dirname, '..', 'package-lock.json');
  const { checked, problems } = checkLicences(JSON.parse(readFileSync(file, 'utf8')));
  if (problems.length > 0) {
    const advice = 'Replace the package, or add an exception with its reason to scripts/check-licences.mjs.';
    process.stderr.write(
      `Licences that Apache-2.0 cannot carry:\n${problems.map((line) => `  ${line}\n`).join('')}${advice}\n`,
    );
    process.exitCode = 1;
  } else {
    process.stdout.write(`The licences of ${checked} production dependencies are compatible with Apache-2.0.\n`);
  }
}
