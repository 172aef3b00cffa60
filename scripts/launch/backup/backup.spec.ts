import { describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { ROOT } from '../paths.mjs';

// Three starts and four recoveries of a whole installation, on a machine that may be busy.
jest.setTimeout(600_000);

describe('a backup that is taken while a campaign runs', () => {
  it('is restored after the loss of everything: no one gets it twice, nothing is lost, damaged copies are refused', async () => {
    const child = spawn(process.execPath, ['scripts/prove-backup.mjs', '--recipients=500', '--rate=400'], {
      cwd: ROOT,
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
    await new Promise((resolve) => child.once('close', resolve));
    const lines = said.trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('ok ') && !line.startsWith('  '))).toEqual([
      expect.stringMatching(/^PROVED: 500 recipients/),
    ]);
    expect(lines.filter((line) => line.startsWith('ok ')).length).toBeGreaterThanOrEqual(20);
  });
});
