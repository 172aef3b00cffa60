import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as {
  projects: Record<string, { root: string; sourceRoot: string; entryFile: string }>;
};

describe('nest-cli.json', () => {
  it('names every app with its entry', () => {
    expect(Object.keys(projects).sort()).toEqual(readdirSync('apps').sort());
    for (const { sourceRoot, entryFile } of Object.values(projects)) {
      expect(existsSync(`${sourceRoot}/${entryFile}.ts`)).toBe(true);
    }
  });

  it('builds with the Nest CLI', async () => {
    await promisify(execFile)(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build', 'workflow']);
    expect(existsSync('dist/apps/workflow/src/main.js')).toBe(true);
  }, 240_000);
});
