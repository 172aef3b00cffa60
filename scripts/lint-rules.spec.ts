import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { ROOT } from './launch/paths.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'tidings-lint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The violations of one rule in a text. */
function violations(rule: string, text: string): number {
  const config = { jsPlugins: [path.join(ROOT, 'scripts/lint-rules.mjs')], categories: { correctness: 'off' } };
  const [configFile, file] = [path.join(folder, 'oxlintrc.json'), path.join(folder, 'text.tsx')];
  writeFileSync(configFile, JSON.stringify({ ...config, rules: { [`tidings/${rule}`]: 'error' } }));
  writeFileSync(file, text);
  const oxlint = path.join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const { stdout } = spawnSync(process.execPath, [oxlint, '-c', configFile, '-f', 'json', file], { encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
  expect(diagnostics.filter(({ code }) => code !== `tidings(${rule})`)).toEqual([]);
  return diagnostics.length;
}

it.each([
  ['environment', 'process.env.PORT', 'config.PORT'],
  ['clock', 'new Date()', 'new Date(now)'],
  ['clock', 'new Date(Date.now() + 5)', 'new Date(now.getTime() + 5)'],
  ['fixed-waits', 'await pause(100)', 'await until(ready)'],
  [
    'fixed-waits',
    "import { setTimeout as wait } from 'node:timers/promises'",
    "import { setTimeout as pause } from 'node:timers/promises'",
  ],
  ['texts', '<p>Hello</p>', '<p>{texts.hello}</p>'],
  ['texts', '<p title="Hello" />', '<p title={texts.hello} />'],
  ['injections', '<p dangerouslySetInnerHTML={html} />', '<p>{html}</p>'],
  ['injections', 'page.innerHTML = text', 'page.textContent = text'],
])('the rule %s refuses "%s", and allows "%s"', (rule, refused, allowed) => {
  expect([violations(rule, refused), violations(rule, allowed)]).toEqual([1, 0]);
});
