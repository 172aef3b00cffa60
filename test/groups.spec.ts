import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { groups, specsOf } from './groups/load-group.js';

const elsewhere = /(^|\/)(node_modules|dist|\.build|\.data|\.git)$/;
const specsBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return elsewhere.test(path) ? [] : specsBelow(path);
    return /\.spec\.tsx?$/.test(path) ? [path] : [];
  });

/** The configuration as a run without named files has it. */
async function wholeRun() {
  const { argv } = process;
  process.argv = argv.slice(0, 2);
  try {
    type Config = { testMatch: string[]; testPathIgnorePatterns: string[] };
    return ((await import('../jest.config.mjs')) as { default: Config }).default;
  } finally {
    process.argv = argv;
  }
}

describe('a run of everything', () => {
  it('runs each spec once: by itself or in one part of one group', async () => {
    const { testMatch, testPathIgnorePatterns } = await wholeRun();
    const [specs, ...files] = testMatch.map((pattern) => pattern.replace('<rootDir>/', ''));
    expect(specs).toBe('{apps,libs,bench,scripts,test}/**/*.spec.{ts,tsx}');
    const ignored = testPathIgnorePatterns.map((pattern) => new RegExp(pattern.replace('<rootDir>/', '^')));
    const parts = Object.entries(groups).flatMap(([name, group]) =>
      Array.from({ length: group.parts }, (_, n) => ({ name, part: n + 1 })),
    );
    expect(files.sort()).toEqual(parts.map(({ name, part }) => `test/groups/${name}-${part}.ts`).sort());
    const all = specsBelow('.').filter((spec) => !spec.startsWith('test/containers/'));
    const alone = all.filter((spec) => !ignored.some((pattern) => pattern.test(spec)));
    const run = [...alone, ...parts.flatMap(({ name, part }) => specsOf(name, part))];
    expect(run.sort()).toEqual(all.sort());
    expect(all.filter((spec) => !/^(apps|libs|bench|scripts|test)\//.test(spec))).toEqual([]);
  });

  it('starts with the longest files, all groups among them', () => {
    const longest = JSON.parse(readFileSync('test/groups/longest.json', 'utf8')) as string[];
    const parts = Object.entries(groups).flatMap(([name, group]) =>
      Array.from({ length: group.parts }, (_, n) => `test/groups/${name}-${n + 1}.ts`),
    );
    expect(longest.filter((file) => !existsSync(file))).toEqual([]);
    expect(longest).toEqual(expect.arrayContaining(parts));
  });
});
