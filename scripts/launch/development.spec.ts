import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareDevelopment, servicesConcerned } from './development.mjs';
import type { Development } from './development.mjs';
import { ROOT } from './paths.mjs';
import { eventually } from './process-record.mjs';

jest.setTimeout(180_000);

let root: string;
let development: Development | undefined;

function write(file: string, content: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
}

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tidings spec-'));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    write(file, readFileSync(path.join(ROOT, file), 'utf8'));
  }
  write('libs/greeting/src/index.ts', `export const greet = (name: string): string => 'Hello ' + name;`);
  write('libs/letter/src/index.ts', `import { greet } from '#greeting';\nexport const letter = greet('Ann');`);
  write('libs/letter/test/letter.ts', `import '#unused';`);
  write('apps/door/src/main.ts', `import { greet } from '#greeting';\nprocess.stdout.write(greet('Ann'));`);
  write('apps/post/src/main.ts', `import { letter } from '#letter';\nprocess.stdout.write(letter);`);
  write('apps/clock/src/main.ts', `process.stdout.write('12:00');`);
  write('apps/clock/schema.sql', 'select 1');
});
afterEach(() => {
  development?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe('the services that a change concerns', () => {
  it.each([
    [['apps/clock/src/main.ts'], ['clock']],
    [['apps/clock/schema.sql'], ['clock']],
    [['libs/letter/src/index.ts'], ['post']],
    [['libs/greeting/src/other.ts'], ['door', 'post']],
    [
      ['apps/door/src/main.ts', 'libs/letter/src/index.ts'],
      ['door', 'post'],
    ],
    [['libs/unused/src/index.ts'], []],
  ])('of %j are %j', (files, services) => {
    expect(servicesConcerned(root, files).sort()).toEqual(services);
  });

  it('are in this project all for the library of every boot, and one for its own source', () => {
    const all = ['campaign', 'delivery', 'domain', 'subscriber', 'workflow'];
    expect(servicesConcerned(ROOT, ['libs/service-host/src/boot.ts'])).toEqual(expect.arrayContaining(all));
    expect(servicesConcerned(ROOT, ['apps/domain/src/boot.ts'])).toEqual(['domain']);
    expect(servicesConcerned(ROOT, ['libs/testing/src/until.ts'])).toEqual([]);
  });
});

describe('npm run dev', () => {
  it('compiles what changes and replaces its service; with a fault nothing is replaced until it is mended', async () => {
    const replaced: string[][] = [];
    development = await prepareDevelopment(root);
    const { folder } = development;
    const compiled = (name: string) => readFileSync(path.join(folder, `apps/${name}/src/main.js`), 'utf8');
    expect(compiled('clock')).toContain('12:00');
    expect(readFileSync(path.join(folder, 'apps/clock/schema.sql'), 'utf8')).toBe('select 1');
    await expect(prepareDevelopment(root)).rejects.toThrow(`already runs in this checkout (process ${process.pid})`);

    const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const said = () => written.mock.calls.map(([text]) => String(text)).join('');
    try {
      development.watch((names) => Promise.resolve(void replaced.push(names)));
      write('apps/clock/src/main.ts', `process.stdout.write('13:00');`);
      expect(await eventually(() => replaced.length > 0, 60_000)).toBe(true);
      expect(replaced).toEqual([['clock']]);
      expect(compiled('clock')).toContain('13:00');

      write('apps/clock/src/main.ts', `const hour: number = '14:00';\nprocess.stdout.write(String(hour));`);
      expect(await eventually(() => said().includes('The services go on'), 60_000)).toBe(true);
      expect(said()).toMatch(/apps\/clock\/src\/main\.ts\(1,7\): error TS2322/);
      expect(compiled('clock')).toContain('13:00');
      expect(replaced).toHaveLength(1);

      write('libs/letter/src/index.ts', `export const letter = 'Dear Ann';`);
      write('apps/clock/src/main.ts', `process.stdout.write('15:00');`);
      expect(await eventually(() => replaced.length > 1, 60_000)).toBe(true);
      expect(replaced[1]!.sort()).toEqual(['clock', 'post']);
      expect(compiled('clock')).toContain('15:00');
    } finally {
      written.mockRestore();
    }
  });
});
