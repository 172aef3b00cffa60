import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { countByArea, lowered, overBudget } from './budget.mjs';
import { checkLanguage, measureTable } from './language.mjs';

let root: string;

/** Checks a checkout of these files; each violation as `file:line rule`, a warning with `?`. */
function check(files: Record<string, string>, folders?: string[]): string[] {
  root = mkdtempSync(join(tmpdir(), 'language-'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return checkLanguage(root, folders).violations.map(
    ({ file, line, rule, isWarning }) => `${file}:${line} ${rule}${isWarning ? '?' : ''}`,
  );
}

const words = (count: number) => `Sends ${'word '.repeat(count - 1).trim()}.`;

describe('the language check', () => {
  afterEach(() => rmSync(root, { recursive: true }));
  it('finds banned words in docstrings, comments, test names and log messages, each at its line', () => {
    const code = `/**
 * Returns the next row.
 * @param name what somebody asked for
 */
const next = 1; // for good
const url = 'https://nobody.example'; // a string is no comment
it('tells the caller', () => undefined);
log.warn({ next }, \`\${next} rows wait for whoever comes\`);
const pattern = /\\/* anew *\\//;
`;
    expect(check({ 'apps/a/src/one.spec.ts': code }).sort()).toEqual([
      'apps/a/src/one.spec.ts:3 banned-word',
      'apps/a/src/one.spec.ts:5 banned-word',
      'apps/a/src/one.spec.ts:7 banned-word',
      'apps/a/src/one.spec.ts:8 banned-word',
    ]);
  });

  it('reads Markdown without code, quotations and quoted blocks, and only warns of the list of changes', () => {
    const page =
      '# T\n\nText is\nsent anew.\n\n> nobody\n\n`nobody`, "nobody"\n\n```\nnobody\n```\n\n| a |\n|---|\n| so many |\n';
    expect(check({ 'docs/one.md': page, 'CHANGELOG.md': 'Nobody waits.' })).toEqual([
      'CHANGELOG.md:1 banned-word?',
      'docs/one.md:4 banned-word',
      'docs/one.md:16 banned-word',
    ]);
  });

  it('leaves generated pages and golden files alone', () => {
    const made = '# Tools\n\nThis page is generated from the contracts.\n\nNobody';
    expect(check({ 'docs/reference/tools.md': made, 'libs/content/test/golden/mail.md': 'Nobody' })).toEqual([]);
  });

  it('finds banned names on declarations, whole words only, and more of them on types', () => {
    const code = `class CampaignParts {}
const parts = 1;
function openDesk(strangersMax: number) { return strangersMax; }
class LinkBlockVisitor {}
const desktop = { company: parts, base64: 1 };
interface Base64Text { told: string }
const standIn = desktop;
`;
    expect(check({ 'libs/a/src/file-helper.ts': code })).toEqual([
      'libs/a/src/file-helper.ts:1 banned-name',
      'libs/a/src/file-helper.ts:1 banned-name',
      'libs/a/src/file-helper.ts:3 banned-name',
      'libs/a/src/file-helper.ts:3 banned-name',
      'libs/a/src/file-helper.ts:7 banned-name',
    ]);
  });

  it('allows the suffixes of the list, and those of an app only there', () => {
    expect(
      check({
        'apps/cli/src/a.command.ts': '',
        'apps/gateway/src/a.command.ts': '',
        'apps/gateway/src/a.source.ts': '',
        'apps/gateway/src/a.client.spec.ts': '',
        'apps/gateway/src/a.repository.ts': '',
        'scripts/a.b.c.ts': '',
      }),
    ).toEqual([
      'apps/gateway/src/a.client.spec.ts:1 file-suffix',
      'apps/gateway/src/a.command.ts:1 file-suffix',
      'apps/gateway/src/a.source.ts:1 file-suffix',
    ]);
  });

  it('holds summaries, refusals and sentences of the contracts to their form', () => {
    const tool = (summary: string) =>
      `{ summary: '${summary}', rules: ['Rates are fractions.'], example: { text: 'For nobody at all' } }`;
    const tools = `defineTools('a', {
  good: ${tool('Returns one row. Deleted rows count too.')},
  vague: ${tool('Tells of the row.')},
  nounless: ${tool('All the rows.')},
  endless: ${tool('Lists the rows')},
  many: ${tool('Lists rows. Sorts them. Counts them.')},
  long: ${tool(words(21))},
});`;
    const refusals = `export const reasons = {
  good: reason('X', ({ id }) => \`No row "\${id}" exists. Call vague to see all.\`),
  tool: reason('X', ({ id }) => \`No row \${id} exists. Call list_rows to see all.\`),
  long: reason('X', () => '${words(26)}'),
  many: reason('X', ({ id }) => \`It is. It was. It has.\${id ? ' It may be.' : ''}\`),
};`;
    const requests = `z.string().describe('${words(31)}')`;
    expect(
      check({
        'libs/contracts/src/tools/row.ts': tools,
        'libs/contracts/src/reasons/rows.ts': refusals,
        'libs/contracts/src/requests/row.ts': requests,
        'README.md': words(31),
        'docs/row.md': words(31),
      }),
    ).toEqual([
      'README.md:1 long-sentence',
      'docs/row.md:1 long-sentence?',
      'libs/contracts/src/reasons/rows.ts:3 refusal',
      'libs/contracts/src/reasons/rows.ts:4 refusal',
      'libs/contracts/src/reasons/rows.ts:5 refusal',
      'libs/contracts/src/requests/row.ts:1 long-sentence',
      'libs/contracts/src/tools/row.ts:3 banned-word',
      'libs/contracts/src/tools/row.ts:3 summary',
      'libs/contracts/src/tools/row.ts:4 summary',
      'libs/contracts/src/tools/row.ts:5 summary',
      'libs/contracts/src/tools/row.ts:6 summary',
      'libs/contracts/src/tools/row.ts:7 summary',
    ]);
  });

  it('finds spreads of a literal, not those of a condition', () => {
    const code = 'const a = { ...{ b: 1 }, ...(c && { d: 2 }) };';
    expect(check({ 'apps/a/src/one.ts': code })).toEqual(['apps/a/src/one.ts:1 literal-spread']);
  });

  it('looks only below the folders that are named', () => {
    const files = { 'apps/a/one.ts': '// nobody', 'apps/ab/one.ts': '// nobody', 'docs/a.md': 'nobody' };
    expect(check(files, ['apps/a', 'docs/a.md'])).toEqual(['apps/a/one.ts:1 banned-word', 'docs/a.md:1 banned-word']);
  });

  it('measures sentences by the kind of text', () => {
    check({ 'docs/a.md': `${words(26)} Nobody waits here now. It is sent.`, 'apps/a/one.ts': '/** Sends it. */' });
    expect(measureTable(checkLanguage(root).measured).split('\n').slice(2)).toEqual([
      '| docs | 3 | 4 | 33.3 % | 33.3 % | 0.0 % |',
      '| docstring | 1 | 2 | 0.0 % | 0.0 % | 0.0 % |',
    ]);
  });
});

describe('the budget of violations', () => {
  const counts = countByArea([
    { rule: 'word', area: 'docs' },
    { rule: 'name', area: 'libs/a' },
    { rule: 'word', area: 'docs' },
  ]);

  it('is exceeded by one more than it allows, and by an area that it does not name', () => {
    expect(overBudget(counts, { word: { docs: 2 }, name: { 'libs/a': 1 } })).toEqual([]);
    expect(overBudget(counts, { word: { docs: 1 } })).toEqual([
      { rule: 'name', area: 'libs/a', count: 1, allowed: 0 },
      { rule: 'word', area: 'docs', count: 2, allowed: 1 },
    ]);
  });

  it('is lowered to what stands, never raised, and only for areas that were checked', () => {
    const budget = { word: { docs: 1, test: 4, bench: 3 }, name: { 'libs/a': 5 }, summary: { 'libs/b': 1 } };
    expect(lowered(counts, budget, (area) => area !== 'bench')).toEqual({
      word: { docs: 1, bench: 3 },
      name: { 'libs/a': 1 },
    });
  });
});
