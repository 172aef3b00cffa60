import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';

it('the language check fails beyond its budget, and --update only lowers it', () => {
  const root = mkdtempSync(join(tmpdir(), 'budget-'));
  const write = (text: string) => writeFileSync(join(root, 'docs/a.md'), text);
  const run = (...args: string[]) => {
    const script = resolve(import.meta.dirname, '../check-language.mjs');
    const { status, stdout } = spawnSync(process.execPath, [script, '--root', root, ...args], { encoding: 'utf8' });
    return { status, stdout };
  };
  const budget = () => JSON.parse(readFileSync(join(root, 'scripts/language-budget.json'), 'utf8'));
  try {
    mkdirSync(join(root, 'docs'));
    mkdirSync(join(root, 'scripts'));
    write('Nobody waits, and nobody sends.');
    expect(run('--update').status).toBe(0);
    expect(budget()).toEqual({ 'banned-word': { docs: 2 } });

    write('Nobody waits.\n\nNobody sends to somebody.');
    expect(run('--update')).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^docs\/a\.md:1 banned-word: "Nobody" → /),
    });
    expect(budget()).toEqual({ 'banned-word': { docs: 2 } });

    write('Nobody waits.');
    expect(run('--update').status).toBe(0);
    expect(budget()).toEqual({ 'banned-word': { docs: 1 } });
  } finally {
    rmSync(root, { recursive: true });
  }
});
