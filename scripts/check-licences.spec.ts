import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkLicences } from './check-licences.mjs';

const lockfile = (license: string | undefined, more: object = {}) => ({
  packages: {
    '': { license: 'Apache-2.0' },
    'node_modules/a/node_modules/@scope/b': { version: '1.2.3', ...(license && { license }), ...more },
  },
});
const problemsOf = (license: string | undefined, more?: object) => checkLicences(lockfile(license, more), []).problems;

describe('the licence of a production dependency', () => {
  it.each([
    'MIT',
    'Apache-2.0',
    '(MIT OR GPL-3.0-only)',
    'MIT AND (ISC OR GPL-2.0-only)',
    'GPL-2.0-only AND MIT OR ISC',
  ])('may be %s', (license) => expect(problemsOf(license)).toEqual([]));

  it.each([
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    'Apache-2.0 WITH LLVM-exception',
    'MPL-2.0',
    'SEE LICENSE IN LICENSE',
    'MIT AND',
    '(MIT',
  ])('is refused by name and version when it is %s', (license) =>
    expect(problemsOf(license)).toEqual([`@scope/b@1.2.3 is under ${license}`]),
  );

  it('is refused when the package states none', () =>
    expect(problemsOf(undefined)).toEqual(['@scope/b@1.2.3 states no licence']));

  it('is not asked of packages for development only', () =>
    expect(problemsOf('GPL-3.0-only', { dev: true })).toEqual([]));

  it('is asked of packages that are both for development and optional in production', () =>
    expect(problemsOf('GPL-3.0-only', { devOptional: true })).toHaveLength(1));
});

describe('an exception', () => {
  const exception = { packages: /^@scope\/b$/, licence: 'MPL-2.0', reason: 'unmodified' };

  it('permits one licence of one package', () => {
    expect(checkLicences(lockfile('MPL-2.0'), [exception])).toEqual({ checked: 1, problems: [] });
    expect(checkLicences(lockfile('GPL-3.0-only'), [exception]).problems).toContain(
      '@scope/b@1.2.3 is under GPL-3.0-only',
    );
  });

  it('that matches no package is reported', () =>
    expect(checkLicences(lockfile('MIT'), [exception]).problems).toEqual([
      'the exception /^@scope\\/b$/ for MPL-2.0 matches no package: remove it',
    ]));
});

describe('the script', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/check-licences.mjs', ...args], { encoding: 'utf8' });

  it('finds every production dependency of this repository compatible with Apache-2.0', () => {
    expect(run()).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/licences of \d{3} production/),
    });
  });

  it('fails with the names of packages that are not', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidings-spec-'));
    try {
      const file = path.join(folder, 'package-lock.json');
      writeFileSync(file, JSON.stringify(lockfile('AGPL-3.0-only')));
      expect(run(file)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('@scope/b@1.2.3 is under AGPL-3.0-only'),
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
