import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listFiles } from './files.mjs';
import { readMarkdown } from './markdown.mjs';
import { coverQuotations, sentencesOf, wordCount } from './sentences.mjs';
import { readSource } from './source-texts.mjs';
import { bannedName, bannedWords, discouragedWords, findWords, suffixes, suffixesOf, vagueVerbs } from './words.mjs';

/**
 * @typedef {{ rule: string, area: string, file: string, line: number, message: string, isWarning?: boolean }} Violation
 * @typedef {{ group: string, sentence: string }} Measured a sentence and its kind of text
 * @typedef {{ violations: Violation[], measured: Measured[] }} Findings
 */

/** Files that are made from others, and the golden mails. */
const generated = /\/golden\/|^libs\/client\/src\/tools\.ts$/;
const generatedPage = /is generated\s+from/;
/** These files hold the words themselves. */
const wordTables = /^scripts\/check\/words\.mjs$|^scripts\/check[-/].*\.spec\.ts$/;
const testCode = /\.spec\.ts$|^(test|faults|bench|demo)\/|\/test\//;
/** Texts of the contracts: what callers and agents read. */
const contractKinds = new Set(['summary', 'description', 'rule', 'refusal', 'contract text']);

/**
 * Checks the language of a checkout.
 * @param {string} root @param {string[]} [folders] only what lies below these; all without any
 * @returns {Findings}
 */
export function checkLanguage(root, folders = []) {
  /** @type {Findings} */
  const findings = { violations: [], measured: [] };
  const files = listFiles(root).filter((file) => !generated.test(file) && !wordTables.test(file));
  const read = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8');
  const tools = new Set(
    files
      .filter((file) => /^libs\/contracts\/src\/tools\/[^.]+\.ts$/.test(file))
      .flatMap((file) => readSource(file, read(file)).tools),
  );
  const inFolders = (/** @type {string} */ file) =>
    folders.length === 0 ||
    folders.some((folder) => file === folder || file.startsWith(`${folder.replace(/\/$/, '')}/`));
  for (const file of files.filter(inFolders)) {
    const report = reporter(file, findings.violations);
    checkFileName(file, report);
    if (file.endsWith('.md')) checkPage(file, read(file), report, findings.measured);
    else if (/\.[mc]?[jt]s$/.test(file)) checkSource(file, read(file), tools, report, findings.measured);
  }
  return findings;
}

/** The part of the repository that a budget is for. @param {string} file */
const areaOf = (file) => (/^(apps|libs)\/[^/]+/.exec(file) ?? /^[^/]+/.exec(file) ?? [''])[0];

/** @typedef {(rule: string, line: number, message: string, isWarning?: boolean) => void} Report */
/** @param {string} file @param {Violation[]} violations @returns {Report} */
const reporter = (file, violations) => (rule, line, message, isWarning) =>
  void violations.push({
    rule,
    area: areaOf(file),
    file,
    line,
    message: message.replace(/\s+/g, ' '),
    ...(isWarning && { isWarning }),
  });

/** @param {string} file @param {Report} report */
function checkFileName(file, report) {
  const [name = '', ...rest] = basename(file).split('.');
  const banned = bannedName(name, true);
  if (banned) report('banned-name', 1, `file name: "${banned.word}" → ${banned.suggestion}`);
  if (!/^(apps|libs)\/.*\.ts$/.test(file)) return;
  const allowed = [...suffixes, ...(suffixesOf[areaOf(file)] ?? [])];
  const found = rest.slice(0, -1);
  if (found.length > 1 || found.some((suffix) => !allowed.includes(suffix)))
    report('file-suffix', 1, `suffix ".${found.join('.')}": one of ${allowed.join(', ')}, or none for a pure rule`);
}

/** @param {string} file @param {string} text @param {Report} report @param {Measured[]} measured */
function checkPage(file, text, report, measured) {
  if (generatedPage.test(text.slice(0, 500))) return;
  const isChangelog = file === 'CHANGELOG.md';
  const group = /^docs\//.test(file) ? 'docs' : file;
  for (const block of readMarkdown(text).blocks) {
    const prose = coverQuotations(block.text);
    const lineOf = (/** @type {number} */ at) => block.line + prose.slice(0, at).split('\n').length - 1;
    checkWords(prose, lineOf, report, isChangelog);
    if (block.inTable) continue;
    for (const { text: sentence, at } of sentencesOf(prose)) {
      measured.push({ group, sentence });
      checkLength(sentence, lineOf(at), report, basename(file) !== 'README.md');
    }
  }
}

/** @param {string} file @param {string} code @param {Set<string>} tools @param {Report} report @param {Measured[]} measured */
function checkSource(file, code, tools, report, measured) {
  const { texts, declarations, spreads } = readSource(file, code);
  for (const text of texts) {
    const prose = coverQuotations(text.text);
    checkWords(prose, text.lineOf, report);
    const inTest = testCode.test(file) && (text.kind === 'docstring' || text.kind === 'comment');
    for (const { text: sentence, at } of sentencesOf(prose)) {
      measured.push({ group: inTest ? 'comments of tests' : text.kind, sentence });
      if (contractKinds.has(text.kind)) checkLength(sentence, text.lineOf(at), report);
    }
    if (text.kind === 'summary') checkSummary(text, report);
    if (text.kind === 'refusal') checkRefusal(text, tools, report);
  }
  for (const { name, isType, line } of declarations) {
    const banned = bannedName(name, isType);
    if (banned) report('banned-name', line, `${name}: "${banned.word}" → ${banned.suggestion}`);
  }
  for (const line of spreads)
    report('literal-spread', line, 'a spread of a literal: write its properties in its place');
}

/** @param {string} prose @param {(at: number) => number} lineOf @param {Report} report @param {boolean} [isWarning] */
function checkWords(prose, lineOf, report, isWarning) {
  for (const { word, at, suggestion } of findWords(prose, bannedWords))
    report('banned-word', lineOf(at), `"${word}" → ${suggestion}`, isWarning);
  for (const { word, at, suggestion } of findWords(prose, discouragedWords))
    report('discouraged-word', lineOf(at), `"${word}" → ${suggestion}`, true);
}

const longestSentence = 30;
/** @param {string} sentence @param {number} line @param {Report} report @param {boolean} [isWarning] */
function checkLength(sentence, line, report, isWarning) {
  const words = wordCount(sentence);
  if (words > longestSentence)
    report('long-sentence', line, `${words} words, at most ${longestSentence}: "${sentence.slice(0, 60)}…"`, isWarning);
}

/** @param {import('./source-texts.mjs').Text} summary @param {Report} report */
function checkSummary({ text, line }, report) {
  const sentences = sentencesOf(text);
  const wrong = [
    vagueVerbs.test(text) &&
      'begins with a vague verb: Lists, Returns, Creates, Updates, Cancels, Deletes, Sends, Checks …',
    !/^[A-Z][a-z]+s\b/.test(text) && 'begins with no third-person verb (Lists, Returns, Creates …)',
    sentences.length > 2 && `${sentences.length} sentences, at most 2`,
    sentences.some((sentence) => wordCount(sentence.text) > 20) && 'a sentence of more than 20 words',
    !/\.$/.test(text) && 'ends without a full stop',
  ];
  for (const one of wrong) if (one) report('summary', line, `${one}: "${text.slice(0, 60)}…"`);
}

/** @param {import('./source-texts.mjs').Text} refusal @param {Set<string>} tools @param {Report} report */
function checkRefusal({ text, line }, tools, report) {
  const sentences = sentencesOf(text);
  const wrong = [
    sentences.length > 3 && `${sentences.length} sentences, at most 3`,
    sentences.some((sentence) => wordCount(sentence.text) > 25) && 'a sentence of more than 25 words',
    ...[...text.matchAll(/(?<![\w./-])[a-z]+(?:_[a-z]+)+(?!\w)/g)].map(
      ([name]) => !tools.has(name) && `names ${name}, which is no tool`,
    ),
  ];
  for (const one of wrong) if (one) report('refusal', line, `${one}: "${text.slice(0, 60)}…"`);
}

/**
 * The measures of the prose by kind of text, as a Markdown table.
 * @param {Measured[]} measured
 */
export function measureTable(measured) {
  const groups = [...new Set(measured.map(({ group }) => group))].sort();
  const rows = groups.map((group) => {
    const list = measured.filter((one) => one.group === group);
    const lengths = list.map(({ sentence }) => wordCount(sentence)).sort((one, other) => one - other);
    const share = (/** @type {(item: Measured) => boolean} */ fits) =>
      `${((100 * list.filter(fits).length) / list.length).toFixed(1)} %`;
    return [
      group,
      list.length,
      lengths[lengths.length >> 1] ?? 0,
      share(({ sentence }) => wordCount(sentence) > 25),
      share(({ sentence }) => findWords(sentence, bannedWords).length > 0),
      share(({ sentence }) => findWords(sentence, discouragedWords).length > 0),
    ];
  });
  const head = ['text', 'sentences', 'median words', '> 25 words', 'banned', 'discouraged'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
