import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { listFiles } from './files.mjs';
import { readMarkdown } from './markdown.mjs';

/** @typedef {{ file: string, line: number, message: string }} Problem */

/** Endings by which a code span without a slash is a file of the repository. */
const fileName = /^[\w.-]+\.(?:md|mjs|cjs|ts|sh|sql|ya?ml)$/;
/** A folder that the reader creates, and a file of another project. */
const elsewhere = new Set(['k8s/overlays/mine', 'test/tests.xml']);
const pathText = /^\.{0,2}\/?[\w.@*-]+(?:\/[\w.@*-]+)*\/?$/;

/**
 * Links, anchors and paths in the Markdown files of a checkout that lead nowhere.
 * @param {string} root @returns {Problem[]}
 */
export function checkDocs(root) {
  const files = listFiles(root);
  const known = new Set(files.flatMap(withFolders));
  const names = new Set(files.map((file) => basename(file)));
  const pages = new Map(
    files
      .filter((file) => file.endsWith('.md'))
      .map((file) => [file, readMarkdown(readFileSync(join(root, file), 'utf8'))]),
  );
  /** @type {Problem[]} */
  const problems = [];
  for (const [file, { links, spans, strayMarks }] of pages) {
    const report = (/** @type {number} */ line, /** @type {string} */ message) =>
      void problems.push({ file, line, message });
    for (const { line, target } of links) checkLink(target, (message) => report(line, message));
    for (const line of strayMarks) report(line, 'the mark <!-- run --> stands before no `sh` block');
    // CHANGELOG describes the past: paths in it may have been removed.
    if (file === 'CHANGELOG.md') continue;
    for (const { line, text } of spans)
      if (!isThere(text)) report(line, `\`${text}\` looks like a path of this repository, which has none such`);

    /** @param {string} target @param {(message: string) => void} report */
    function checkLink(target, report) {
      if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)) return;
      const [path = '', anchor] = decodeURI(target).split('#');
      const to = path === '' ? file : normalize(join(dirname(file), path)).replace(/\/$/, '');
      if (!known.has(to)) report(`the link leads to ${to}, which does not exist`);
      else if (anchor !== undefined && !/^L\d+/.test(anchor) && pages.has(to) && !pages.get(to)?.anchors.has(anchor))
        report(`the link leads to ${to}#${anchor}, which has no such heading`);
    }

    /** @param {string} text */
    function isThere(text) {
      const path = text.replace(/:\d+(-\d+)?$/, '').replace(/^\.\//, '');
      if (!pathText.test(path) || elsewhere.has(path)) return true;
      if (!path.includes('/')) return !fileName.test(path) || names.has(path) || matches(path);
      const top = path.split('/')[0] ?? '';
      const places = path.startsWith('../') ? [join(dirname(file), path)] : [path, join(dirname(file), path)];
      if (!path.startsWith('../') && !known.has(top)) return true;
      return places
        .map((place) => normalize(place).replace(/\/$/, ''))
        .some((place) => known.has(place) || matches(place));
    }
  }
  return problems;

  /** @param {string} pattern with * for any characters but a slash, ** for any */
  function matches(pattern) {
    if (!pattern.includes('*')) return false;
    const source = pattern
      .replace(/[.]/g, '\\.')
      .replace(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'))
      .replaceAll('.*/', '(?:.*/)?');
    const expression = new RegExp(pattern.includes('/') ? `^${source}$` : `(?:^|/)${source}$`);
    return [...known].some((path) => expression.test(path));
  }
}

/** @param {string} file */
function withFolders(file) {
  const parts = file.split('/');
  return parts.map((_, n) => parts.slice(0, n + 1).join('/'));
}
