import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as {
  projects: Record<string, { root: string; sourceRoot: string; entryFile: string }>;
};

describe('nest-cli.json', () => {
  it('names every service with its entry', () => {
    // The dashboard runs in browsers: Vite builds it.
    const services = readdirSync('apps').filter((name) => name !== 'dashboard');
    expect(Object.keys(projects).sort()).toEqual(services.sort());
    for (const { sourceRoot, entryFile } of Object.values(projects)) {
      expect(existsSync(`${sourceRoot}/${entryFile}.ts`)).toBe(true);
    }
  });

  it('builds with the Nest CLI', async () => {
    rmSync('dist/apps/domain', { recursive: true, force: true });
    // One app and what it imports: all of them are compiled by the build, and checked by the type check.
    const build = ['build', 'domain', '--path', 'test/data/tsconfig.domain.json'];
    await promisify(execFile)(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', ...build]);
    expect(existsSync('dist/apps/domain/src/main.js')).toBe(true);
  }, 240_000);
});
