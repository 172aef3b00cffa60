import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { readMarkdown } from '../../scripts/check/markdown.mjs';
import { startSystem } from './start-system.js';

jest.setTimeout(240_000);
const run = promisify(execFile);

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const docs = readdirSync(new URL('../../docs', import.meta.url), { recursive: true, encoding: 'utf8' });
/** Pages with shell blocks marked to be run; the blocks of a page are one script, as a reader pastes them in turn. */
const scripts = ['README.md', ...docs.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)]
  .map((file) => ({ file, script: readMarkdown(read(file)).runs.join('\n') }))
  .filter(({ script }) => script !== '');

/** Replaces curl on machines without it, for the options that the README uses. */
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

describe('the marked shell blocks', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));

  beforeAll(async () => {
    sink = await SmtpSink.start();
    system = await startSystem({ SMTP_URL: `smtp://127.0.0.1:${sink.port}` }, { inOneProcess: true });
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

  it.each(scripts)('of $file run as printed, and raise no warning', async ({ file, script }) => {
    const printed = script.replaceAll('tdg_…', system.apiToken).replaceAll('http://localhost:3000', system.url());
    const { stdout, stderr } = await run('sh', ['-euc', printed], {
      cwd: folder,
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('"success":true');
    expect(stdout).not.toMatch(/"success":false|"warnings":\[\{|"warnings":\["|^undefined$/m);
    if (file === 'README.md') {
      await until('the mail arrives', () => sink.messages.length > 0);
      expect(sink.messages.map(({ to }) => to)).toEqual(['ada@post.internal']);
      expect(sink.messages[0]!.raw).toContain('Subject: Hello Ada\r\n');
    }
  });

  it('include the quick start', () => {
    expect(scripts.map(({ file }) => file)).toContain('README.md');
  });
});
