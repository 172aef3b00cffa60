import { checkDocument } from './check-document.js';
import type { Content, ContentType, DocumentNode, Issue, Warning } from './document.js';
import { readHtml } from '../fragment/html-fragment.js';
import {
  DEPTH_MAX,
  ELEMENTS_MAX,
  HTML_DEPTH_MAX,
  nestsTooDeep,
  NODES_MAX,
  TEXT_MAX,
  TOO_MANY_ELEMENTS,
} from './limits.js';
import { readMarkdown } from '../fragment/markdown.js';
import { plateToDocument } from './plate.js';

export type ParsedContent<C extends Content = Content> =
  | { ok: true; content: C; warnings: Warning[] }
  | { ok: false; issues: Issue[] };

const refuse = (message: string): { ok: false; issues: Issue[] } => ({ ok: false, issues: [{ path: [], message }] });

const parseMarkdown = (input: unknown): ParsedContent<string> => {
  if (typeof input !== 'string') return refuse('must be Markdown text');
  const content = input.replace(/\r\n?/gu, '\n').replaceAll('\0', '');
  if (content.length > TEXT_MAX) return refuse(`holds more than ${TEXT_MAX} characters of text`);
  const read = readMarkdown(content, ELEMENTS_MAX);
  if (read === null) return refuse(TOO_MANY_ELEMENTS);
  if (read.depth > DEPTH_MAX) return refuse(`is nested deeper than ${DEPTH_MAX} levels`);
  const fragment = readHtml(read.html, ELEMENTS_MAX);
  if (fragment.elements > ELEMENTS_MAX) return refuse(TOO_MANY_ELEMENTS);
  if (fragment.depth > HTML_DEPTH_MAX) return refuse(`HTML is nested deeper than ${HTML_DEPTH_MAX} levels`);
  if (fragment.problems.length > 0) {
    return { ok: false, issues: fragment.problems.map((message) => ({ path: [], message })) };
  }
  const { dropped } = fragment;
  return {
    ok: true,
    content,
    warnings:
      dropped.length > 0
        ? [{ code: 'CONTENT_DROPPED', message: `Left out of the HTML: ${dropped.join(', ')}.`, path: [] }]
        : [],
  };
};

const readJson = (input: unknown): unknown => {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return undefined;
  }
};

const parseDocument = (type: ContentType, input: unknown, inSnippet: boolean): ParsedContent<DocumentNode> => {
  const value = readJson(input);
  if (value === undefined) return refuse('must be a document object or its JSON text');
  if (nestsTooDeep(value)) return refuse(`is nested deeper than ${DEPTH_MAX} levels`);
  if (type !== 'PLATE' || !Array.isArray(value)) return checkDocument(value, { inSnippet });
  const { document, warnings, isTooLarge } = plateToDocument(value);
  if (isTooLarge) return refuse(`has more than ${NODES_MAX} nodes`);
  const checked = checkDocument(document, { inSnippet });
  return checked.ok ? { ...checked, warnings: [...warnings, ...checked.warnings] } : checked;
};

/**
 * Normalises and checks what a caller sent: a document object, its JSON text or, for PLATE, Plate's own array of nodes;
 * for MARKDOWN text. Unknown nodes and attributes are issues, in Plate's array they are left out with a warning.
 */
export const parseContent = (type: ContentType, input: unknown): ParsedContent =>
  type === 'MARKDOWN' ? parseMarkdown(input) : parseDocument(type, input, false);

/** The same for a snippet's document: `undefined` and null are an empty one, and a snippet within it is refused. */
export const parseSnippet = (input: unknown): ParsedContent<DocumentNode> =>
  input == null
    ? { ok: true, content: { type: 'doc', content: [] }, warnings: [] }
    : parseDocument('MAILY', input, true);
