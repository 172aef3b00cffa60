import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkSubject, commitsSince } from './commits.mjs';

describe('a commit subject', () => {
  it.each([
    'feat: send mail',
    'fix(delivery): retry a lost connection',
    'refactor(smtp-client)!: drop the old name',
    'Merge branch one',
    'Revert "feat: send mail"',
    'fixup! feat: send mail',
  ])('%s is allowed', (subject) => {
    expect(checkSubject(subject)).toEqual([]);
  });

  it.each([
    ['send mail', 'not of the form'],
    ['feature: send mail', 'not of the form'],
    ['feat(): send mail', 'not of the form'],
    ['feat:send mail', 'not of the form'],
    ['feat: Send mail', 'capital'],
    ['feat: send mail.', 'full stop'],
    [`feat: ${'x'.repeat(67)}`, '73 characters'],
  ])('%s is refused', (subject, problem) => {
    expect(checkSubject(subject)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('the commits to check', () => {
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=spec', '-c', 'user.email=spec@x.example', ...args], {
      cwd: join(folder, 'one'),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const commit = (subject: string) => git('commit', '--allow-empty', '--quiet', '-m', subject);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'commits-'));
    execFileSync('git', ['init', '--quiet', join(folder, 'one')]);
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const since = (clone: string) => commitsSince(join(folder, clone), 'check.mjs');

  it('are those after the one that added the check', () => {
    commit('Before');
    expect(since('one')).toBe('no commit adds check.mjs');
    writeFileSync(join(folder, 'one', 'check.mjs'), '');
    git('add', '.');
    commit('The check itself');
    expect(since('one')).toEqual([]);
    commit('feat: one');
    commit('Two');
    expect((since('one') as { subject: string }[]).map(({ subject }) => subject)).toEqual(['Two', 'feat: one']);
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${join(folder, 'one')}`, join(folder, 'shallow')]);
    expect(since('shallow')).toBe('the clone is shallow');
  });

  it('are none where there is no history', () => {
    rmSync(join(folder, 'one', '.git'), { recursive: true });
    expect(since('one')).toBe('this is no clone with a history');
  });

  it('are refused by the hook before they are made', () => {
    const script = resolve(import.meta.dirname, '../check-commits.mjs');
    const message = join(folder, 'message');
    const hook = () => execFileSync(process.execPath, [script, '--message', message], { encoding: 'utf8' });
    writeFileSync(message, 'feat: send mail\n\nA body.\n');
    expect(hook()).toContain('0 problems');
    writeFileSync(message, 'Sends mail\n');
    expect(hook).toThrow('Command failed');
  });
});
