import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import { ServiceProcess } from './service-process.mjs';

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a service process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-service-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = async (source: string) => {
    const main = join(folder, 'main.mjs');
    writeFileSync(main, source);
    let pid = 0;
    const service = new ServiceProcess({
      name: 'spec',
      main,
      environment: process.env,
      onReady: (_facts, of) => (pid = of),
    });
    expect(await service.begin({ MORE: 'later' })).toEqual({ of: 'itself' });
    return { service, pid };
  };

  it('loads, begins with what it is given, says what it is, and ends when it is asked to', async () => {
    const { service, pid } = await start(`
      process.on('SIGTERM', () => process.exit(0));
      process.on('message', ({ type, environment }) => {
        if (type === 'begin' && environment.MORE === 'later') process.send({ type: 'ready', of: 'itself' });
      });`);
    expect(isAlive(pid)).toBe(true);
    await service.stop();
    expect(isAlive(pid)).toBe(false);
    await service.stop();
  });

  it('that ended by itself is not waited for, though its output is still open', async () => {
    const { service, pid } = await start(`
      import { spawn } from 'node:child_process';
      spawn('sleep', ['600'], { stdio: 'inherit' }).unref();
      process.send({ type: 'ready', of: 'itself' }, () => process.exit(0));`);
    await until('it has ended', () => !isAlive(pid));
    try {
      await service.stop();
    } finally {
      process.kill(-pid, 'SIGKILL');
    }
  });

  it('is replaced by one that loads while it finishes, and begins when it has ended', async () => {
    const events = join(folder, 'events');
    writeFileSync(events, '');
    const source = (version: string) => `
      import { appendFileSync } from 'node:fs';
      const note = (what) => appendFileSync(${JSON.stringify(events)}, '${version} ' + what + '\\n');
      note('loads');
      process.on('SIGTERM', () => {
        const loaded = setInterval(() => {
          if (!readFileSync(${JSON.stringify(events)}, 'utf8').includes('new loads')) return;
          clearInterval(loaded);
          note('ends');
          process.exit(0);
        }, 20);
      });
      import { readFileSync } from 'node:fs';
      process.on('message', ({ environment }) => {
        note('begins with ' + environment.MORE);
        process.send({ type: 'ready', of: 'itself' });
      });`;
    const { service } = await start(source('old'));
    writeFileSync(join(folder, 'main.mjs'), source('new'));
    await service.replace();
    expect(readFileSync(events, 'utf8').trim().split('\n')).toEqual([
      'old loads',
      'old begins with later',
      'new loads',
      'old ends',
      'new begins with later',
    ]);
    await service.stop();
  });

  it('whose settings are wrong is not tried again', async () => {
    const main = join(folder, 'wrong.mjs');
    writeFileSync(
      main,
      `process.once('message', () => { console.error('SMTP_URL: Invalid URL'); process.exit(78); });`,
    );
    const service = new ServiceProcess({ name: 'spec', main, environment: process.env });
    await expect(service.begin()).rejects.toThrow(
      'spec cannot start with these settings. Its last lines:\n  [spec] SMTP_URL: Invalid URL',
    );
    await service.stop();
  });
});
