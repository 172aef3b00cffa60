import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installDependencies } from './install.mjs';
import { ROOT } from './paths.mjs';
import { eventually, readJson } from './process-record.mjs';

interface Lockfile {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

let root: string;
const write = (file: string, content: unknown) => writeFileSync(path.join(root, file), JSON.stringify(content));
const installed = (name = 'greeting') => path.join(root, `node_modules/${name}/package.json`);

/** A project that depends on a folder beside it, and its tests on another one: nothing is fetched. */
function writeProject(version: string): void {
  const root = {
    name: 'spec',
    version: '1.0.0',
    dependencies: { greeting: 'file:greeting' },
    devDependencies: { check: 'file:check' },
  };
  write('greeting/package.json', { name: 'greeting', version });
  write('check/package.json', { name: 'check', version });
  write('package.json', root);
  write('package-lock.json', {
    name: 'spec',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': root,
      check: { version, dev: true },
      greeting: { version },
      'node_modules/check': { resolved: 'check', link: true, dev: true },
      'node_modules/greeting': { resolved: 'greeting', link: true },
    },
  });
}

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tidings spec-'));
  for (const name of ['greeting', 'check']) mkdirSync(path.join(root, name));
  writeProject('1.0.0');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('installing packages', () => {
  it('happens when the lockfile is another than the one installed, and only then', async () => {
    await installDependencies(root);
    expect(existsSync(installed())).toBe(true);
    rmSync(installed());
    await installDependencies(root);
    expect(existsSync(installed())).toBe(false);
    writeProject('1.0.1');
    await installDependencies(root);
    expect(existsSync(path.join(root, 'node_modules/.tidings-install'))).toBe(true);
  });

  it('leaves out what only tests use, and adds it for them to what is there', async () => {
    await installDependencies(root);
    expect(existsSync(installed())).toBe(true);
    expect(existsSync(installed('check'))).toBe(false);
    const lockfile = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
    const before = lstatSync(path.dirname(installed())).ino;
    await installDependencies(root, { tests: true });
    expect(existsSync(installed('check'))).toBe(true);
    expect(lstatSync(path.dirname(installed())).ino).toBe(before);
    expect(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).toBe(lockfile);
    // A start after the tests takes nothing away.
    await installDependencies(root);
    expect(existsSync(installed('check'))).toBe(true);
  });

  it('accepts packages that were installed by hand', async () => {
    mkdirSync(path.join(root, 'node_modules'));
    write('node_modules/.package-lock.json', {
      packages: { greeting: { version: '1.0.0' }, 'node_modules/greeting': { link: true } },
    });
    await installDependencies(root);
    expect(existsSync(installed())).toBe(false);
    await installDependencies(root, { tests: true });
    expect(existsSync(installed('check'))).toBe(true);
  });

  it('ends when a stop is requested; a stop after it signals no process', async () => {
    const kill = jest.spyOn(process, 'kill');
    const early = new AbortController();
    const installing = installDependencies(root, { signal: early.signal });
    await eventually(() => existsSync(path.join(root, '.build/install.lock')), 5_000);
    await new Promise((resolve) => setImmediate(resolve));
    early.abort();
    await expect(installing).rejects.toThrow('`npm ci` failed');
    expect(kill).toHaveBeenCalledTimes(1);

    const late = new AbortController();
    await installDependencies(root, { signal: late.signal });
    late.abort();
    expect(kill).toHaveBeenCalledTimes(1);
    kill.mockRestore();
  });

  it('says what npm said when it fails', async () => {
    write('package.json', {
      name: 'spec',
      version: '1.0.0',
      dependencies: { greeting: 'file:greeting', other: '1.0.0' },
    });
    await expect(installDependencies(root)).rejects.toThrow(/`npm ci` failed:[^]*other@1\.0\.0/);
  });
});

describe('the lockfile', () => {
  it('holds the packages for all platforms: npm ci refuses one that was made where some could not be had', () => {
    const { packages } = readJson<Lockfile>(path.join(ROOT, 'package-lock.json')) ?? {};
    const missing = Object.values(packages ?? {})
      .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => !packages?.[`node_modules/${name}`]);
    expect(missing).toEqual([]);
  });
});
