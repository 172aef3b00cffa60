import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cliFixture } from './cli-fixture.js';

describe('the completion of bash', () => {
  const folder = mkdtempSync(join(tmpdir(), 'completion spec '));
  const script = join(folder, 'completion');

  beforeAll(async () => {
    const { status, said } = await cliFixture({})('completion', 'bash');
    expect(status).toBe(0);
    writeFileSync(script, `${said.join('\n')}\n`);
    writeFileSync(join(folder, 'rows.csv'), 'email\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What bash offers for the last of the typed words. */
  const complete = (...words: string[]): string[] => {
    const run = [
      'source "$1"; shift',
      'COMP_WORDS=(tidings "$@"); COMP_CWORD=$#; _tidings',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n');
    const offered = execFileSync('bash', ['--norc', '-uc', run, 'bash', script, ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    return offered.split('\n').filter((line) => line !== '');
  };

  it('offers the first word, and the words after it', () => {
    expect(complete('')).toEqual(
      expect.arrayContaining(['campaigns', 'call', 'doctor', 'imports', 'members', 'tokens']),
    );
    expect(complete('camp')).toEqual(['campaigns']);
    expect(complete('campaigns', 're')).toEqual(['resume', 'retry']);
  });

  it('offers the options of the chosen command, also after its arguments, and of its other words', () => {
    expect(complete('campaigns', 'send', 'cmp_1', '--')).toEqual([
      '--at',
      '--help',
      '--json',
      '--org',
      '--watch',
      '--yes',
    ]);
    expect(complete('sends', 'show', '--j')).toEqual(['--json']);
    expect(complete('campaigns', 'list', '--status', 'S')).toEqual(['SCHEDULED', 'SENDING', 'SENT']);
    expect(complete('campaigns', 'list', '--org', '')).toEqual([]);
  });

  it('offers the names of tools after call, and files where a file is expected', () => {
    expect(complete('call', 'list_ta')).toEqual(['list_tags']);
    expect(complete('imports', 'run', 'ro')).toEqual(['rows.csv']);
    expect(complete('imports', 'run', 'x.csv', '--report', 'ro')).toEqual(['rows.csv']);
    expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh']));
  });

  it('offers nothing after words that are no command', () => {
    expect(complete('frob', 'x')).toEqual([]);
  });
});
