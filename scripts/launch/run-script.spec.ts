import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './paths.mjs';

const bench = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/launch.mjs', 'bench', ...args], { cwd: ROOT, encoding: 'utf8' });

describe('npm run bench', () => {
  it('prints its usage and the benchmarks for --help, and runs none', () => {
    const { status, stdout } = bench('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('npm run bench -- NAME');
    expect(stdout).toMatch(/\n {2}tool-call\n/);
    expect(stdout).not.toMatch(/compiling|PostgreSQL/);
  });

  it('refuses a name that is none with the list of those that are', () => {
    const { status, stderr } = bench('tool-call', 'toolcall');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^No benchmark is called toolcall; there are: .*tool-call.*\.\n$/);
  });
});
