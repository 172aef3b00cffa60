import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beginSwap, finishSwap } from './swap.mjs';

let folder: string;
const at = (name: string) => path.join(folder, name);
const contentOf = (name: string) => readFileSync(path.join(at(name), 'content'), 'utf8');
const make = (name: string) => {
  mkdirSync(at(name));
  writeFileSync(path.join(at(name), 'content'), name);
};
const swap = () => ({
  renames: [
    { from: at('data'), to: at('data.before') },
    { from: at('draft'), to: at('data') },
  ],
  removes: [at('scratch')],
});

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidings-spec-'));
  for (const name of ['data', 'draft', 'scratch']) make(name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const expectSwapped = () => {
  expect(contentOf('data')).toBe('draft');
  expect(contentOf('data.before')).toBe('data');
  for (const gone of ['draft', 'scratch', 'restore.json']) expect(existsSync(at(gone))).toBe(false);
};

describe('a restore that takes its place', () => {
  it('moves the former directory aside', () => {
    beginSwap(folder, swap());
    expectSwapped();
    finishSwap(folder);
    expectSwapped();
  });

  it.each([0, 1, 2])('is finished by the next start when it was killed after %d renames', (done) => {
    writeFileSync(at('restore.json'), JSON.stringify(swap()));
    for (const { from, to } of swap().renames.slice(0, done)) renameSync(from, to);
    finishSwap(folder);
    expectSwapped();
  });
});
