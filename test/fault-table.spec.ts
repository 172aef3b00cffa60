import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/internals/faults.md'), 'utf8');
const section = (title: string): string[] =>
  page
    .split(`\n## ${title}\n`)[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => /^\| (?!Group|Story)/.test(line));
const cases = section('Case by case').map((line) => {
  const [, group = '', name = '', where = ''] = line.split('|').map((cell) => cell.trim());
  const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(where) ?? [];
  return { group, name, file, title };
});
const stories = section('What went wrong elsewhere').flatMap((line) => {
  const [, story = ''] = /^\| (\d+) /.exec(line) ?? [];
  return [...line.matchAll(/`([^`]+\.spec\.ts)`/g)].map(([, file]) => ({ story, file: file! }));
});
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the table of faults', () => {
  it('has 41 cases in seven groups', () => {
    expect(cases).toHaveLength(41);
    expect(cases.filter(({ group }) => group !== '')).toHaveLength(7);
  });

  it.each(cases)('$name: names a test that there is', ({ file, title }) => {
    expect(read(file)).toContain(`'${title}'`);
  });

  it.each(stories)('story $story: has a test in $file', ({ story, file }) => {
    expect(read(file)).toMatch(
      new RegExp(`(?:it|describe)(?:\\.each\\([^)]*\\))?\\(\\s*['"\`](?:failure )?(?:story )?${story}\\b`),
    );
  });
});
