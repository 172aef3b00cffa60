import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeTextFile } from './output-file.js';

describe('a written file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-output-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('can be read by its user only, also where it replaces one that others could read', () => {
    const file = join(folder, 'report.csv');
    writeFileSync(file, 'old', { mode: 0o644 });
    writeTextFile(file, 'line,code', 'The report');
    expect(readFileSync(file, 'utf8')).toBe('line,code');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['report.csv']);
  });

  it('that cannot be written leaves nothing behind', () => {
    mkdirSync(join(folder, 'folder'));
    const before = readdirSync(folder);
    expect(() => writeTextFile(join(folder, 'folder'), 'x', 'The report')).toThrow('The report cannot be written: ');
    expect(() => writeTextFile(join(folder, 'none', 'x'), 'x', 'The report')).toThrow('The report cannot be written: ');
    expect(readdirSync(folder)).toEqual(before);
  });
});
