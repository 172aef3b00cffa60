import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const table = readFileSync('SECURITY.md', 'utf8').split('## Defences and their tests')[1]!;
const rows = [...table.matchAll(/\| `([\w/.-]+\.spec\.ts)` "(.+)" \|$/gm)];

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

it.each(rows.map(([, file, title]) => [file!, title!]))('%s has the test "%s"', (file, title) => {
  expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`[(\\s]['"\`]${literal(title)}['"\`],\\s`));
});

it('every row of the table names a test', () => {
  const written = table.split('\n').filter((line) => line.startsWith('| ')).length - 1;
  expect(written).toBeGreaterThan(50);
  expect(rows).toHaveLength(written);
});

it('names every version exactly', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Record<string, Record<string, string>>;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    expect({ name, exact: /^(?:npm:\w+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version) }).toEqual({ name, exact: true });
  }
});
