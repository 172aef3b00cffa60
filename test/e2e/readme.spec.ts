import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { startSystem } from './start-system.js';

jest.setTimeout(240_000);
const run = promisify(execFile);

/** The shell block of a README section that is marked to be run, as printed. */
function blockOf(section: string): string {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const block = /<!-- run -->\n```sh\n([\s\S]*?)```/.exec(readme.slice(readme.indexOf(`## ${section}`)))?.[1];
  if (block === undefined) throw new Error(`README has no shell block to run under "${section}".`);
  return block;
}

/** Stands for curl on machines without it, for the options that the README uses. */
const curl = `#!/usr/bin/env node
const headers = {}; let url, body;
const args = process.argv.slice(2);
while (args.length > 0) {
  const one = args.shift();
  if (one === '-H') { const [name, ...rest] = args.shift().split(':'); headers[name] = rest.join(':').trim(); }
  else if (one === '-d') body = args.shift();
  else if (one !== '-s') url = one;
}
const response = await fetch(url, { method: body === undefined ? 'GET' : 'POST', headers, body });
process.stdout.write(await response.text());
`;

describe('the quick start of the README', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));

  beforeAll(async () => {
    sink = await SmtpSink.start();
    system = await startSystem({ SMTP_URL: `smtp://127.0.0.1:${sink.port}` });
    await run('curl', ['--version']).catch(() => {
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      writeFileSync(join(folder, 'curl'), curl);
      chmodSync(join(folder, 'curl'), 0o755);
    });
  }, 240_000);
  afterAll(async () => {
    await system.stop();
    await sink.stop();
    rmSync(folder, { recursive: true });
  });

  it('runs as printed, raises no warning, and the campaign arrives', async () => {
    const script = blockOf('Quick start')
      .replace('tdg_…', system.apiToken)
      .replaceAll('http://localhost:3000', system.url());
    const { stdout, stderr } = await run('sh', ['-euc', script], {
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
    });
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/"success":false|"warnings":\[\{|"warnings":\["/);
    expect(stdout.match(/"success":true/g)).toHaveLength(2);
    await until('the mail arrives', () => sink.messages.length === 1);
    expect(sink.messages[0]!.to).toBe('ada@post.internal');
    expect(sink.messages[0]!.raw).toContain('Subject: Hello Ada\r\n');
  });
});
