import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tryLock, withLock } from './file-lock.mjs';
import { isRunning, ownRecord, recordOf } from './process-record.mjs';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidings-spec-'));
  file = path.join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Adds one to a counter file many times, reading and writing apart: only a lock keeps the sum right. */
const counting = `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { withLock } from ${JSON.stringify(new URL('file-lock.mjs', import.meta.url).href)};
  const [lock, counter] = process.argv.slice(1);
  for (let i = 0; i < 25; i++) {
    await withLock(lock, { purpose: 'counting', patienceMs: 20_000 }, async () => {
      const before = Number(readFileSync(counter, 'utf8'));
      await new Promise((resolve) => setImmediate(resolve));
      writeFileSync(counter, String(before + 1));
    });
  }`;

function countInProcess(counter: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', counting, file, counter], { stdio: 'inherit' });
  return new Promise((resolve) => child.once('close', resolve));
}

describe('a lock file', () => {
  it('has one holder, and names it to the others', () => {
    const lock = tryLock(file);
    expect(tryLock(file)).toEqual({ holder: ownRecord() });
    if ('release' in lock) lock.release();
    expect('release' in tryLock(file)).toBe(true);
  });

  it('is taken over by exactly one of many when its holder is dead', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(file, JSON.stringify({ pid, startedAt: 'long ago' }));
    const counter = path.join(folder, 'counter');
    writeFileSync(counter, '0');
    expect(await Promise.all([1, 2, 3].map(() => countInProcess(counter)))).toEqual([0, 0, 0]);
    expect(readFileSync(counter, 'utf8')).toBe('75');
    expect(readdirSync(folder)).toEqual(['counter']);
  });

  it.each(['', '{"pid": 1', 'null'])('is taken over when a machine that stopped left «%s» in it', (torn) => {
    writeFileSync(file, torn);
    const lock = tryLock(file);
    expect(tryLock(file)).toEqual({ holder: ownRecord() });
    if ('release' in lock) lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is let go when the work fails, and refused with the reason when it is held too long', async () => {
    const options = { purpose: 'sleeping', patienceMs: 0 };
    await expect(withLock(file, options, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await withLock(file, options, () =>
      expect(withLock(file, options, () => Promise.resolve())).rejects.toThrow(
        `Process ${process.pid} has been sleeping for too long`,
      ),
    );
  });
});

describe('a process record', () => {
  it('is of one process: a later one with the same number is another', () => {
    expect(isRunning(ownRecord())).toBe(true);
    expect(isRunning({ pid: process.pid, startedAt: recordOf(1).startedAt })).toBe(false);
    expect(isRunning(undefined)).toBe(false);
  });
});
