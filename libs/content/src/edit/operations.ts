import type { Content, ContentType, DocumentNode, Issue, Warning } from '../document/document.js';
import { DEPTH_MAX, nestsTooDeep, NODES_MAX, TEXT_MAX } from '../document/limits.js';
import { mostSimilar } from '../document/most-similar.js';
import { parseContent } from '../document/parse-content.js';
import { plateToDocument } from '../document/plate.js';
import { findInDocument, findInText } from './replace-text.js';

export interface AppliedOperation {
  op: string;
  matched: number;
}

export type AppliedOperations =
  | { ok: true; content: Content; operations: AppliedOperation[]; warnings: Warning[] }
  | { ok: false; issues: Issue[] };

type Operation = Record<string, unknown>;

/** A message that ends the whole list of operations. */
class Refusal extends Error {}

const NEAREST_SEARCHED = 100_000;
const NEAREST_PIECES_MAX = 2_000;
const QUOTED_MAX = 200;

const isRecord = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const PARAMETERS: Record<string, readonly string[]> = {
  replace_text: ['search', 'replace', 'all'],
  insert_node: ['index', 'path', 'node'],
  append_node: ['path', 'node'],
  prepend_node: ['path', 'node'],
  remove_node: ['index', 'path'],
  replace_node: ['index', 'path', 'node'],
};

const notFound = (search: string, texts: string[]): string => {
  const pieces = texts
    .join('\n')
    .slice(0, NEAREST_SEARCHED)
    .split(/\n|(?<=[.!?])\s/u)
    .filter((piece) => piece.trim() !== '')
    .slice(0, NEAREST_PIECES_MAX);
  const near = mostSimilar(search, pieces, 0.2);
  const quoted = `"${search.slice(0, QUOTED_MAX)}" is not in the content`;
  return near === null ? `${quoted}.` : `${quoted}; the nearest text is "${near.slice(0, QUOTED_MAX)}".`;
};

const replaceText = (content: Content, operation: Operation): { content: Content; matched: number } => {
  const { search, replace, all = false } = operation;
  if (typeof search !== 'string' || search === '') throw new Refusal('search must be text to look for.');
  if (typeof replace !== 'string') throw new Refusal('replace must be text (empty to delete).');
  if (typeof all !== 'boolean') throw new Refusal('all must be true or false.');
  const found = typeof content === 'string' ? findInText(content, search, all) : findInDocument(content, search, all);
  if (found.matched === 0) throw new Refusal(notFound(search, found.texts));
  // Seen before it is written: each "a" made a page, a hundred times over, fits in no memory.
  if (found.length + found.matched * (replace.length - search.length) > TEXT_MAX) {
    throw new Refusal(`the content would hold more than ${TEXT_MAX} characters of text.`);
  }
  return { content: found.replace(replace), matched: found.matched };
};

const readPath = (operation: Operation): number[] | null => {
  const { index, path } = operation;
  if (index !== undefined && path !== undefined) throw new Refusal('give index or path, not both.');
  const steps: unknown = path ?? (index === undefined ? null : [index]);
  if (steps === null) return null;
  const numbers = Array.isArray(steps) ? (steps as unknown[]).filter((step) => step !== 'content') : [];
  if (numbers.length === 0 || !numbers.every((step) => Number.isInteger(step) && (step as number) >= 0)) {
    throw new Refusal('index must be a whole number from 0, path a list of them (the way to the node).');
  }
  return numbers as number[];
};

const descend = (document: DocumentNode, path: number[]): DocumentNode => {
  let node = document;
  for (const [depth, step] of path.entries()) {
    const next: DocumentNode | undefined = node.content?.[step];
    if (next === undefined) {
      throw new Refusal(
        `there is no node at [${path.slice(0, depth + 1).join(', ')}]; "${node.type}" has ${node.content?.length ?? 0} nodes, counted from 0.`,
      );
    }
    node = next;
  }
  return node;
};

const readNodes = (type: ContentType, operation: Operation): DocumentNode[] => {
  let { node } = operation;
  if (typeof node === 'string') {
    try {
      node = JSON.parse(node) as unknown;
    } catch {
      throw new Refusal('node must be a node object.');
    }
  }
  if (!isRecord(node)) throw new Refusal('node must be a node object.');
  if (nestsTooDeep(node)) throw new Refusal(`node is nested deeper than ${DEPTH_MAX} levels.`);
  if (type === 'PLATE' && Array.isArray(node.children)) {
    const { document, isTooLarge } = plateToDocument([node]);
    if (isTooLarge) throw new Refusal(`node has more than ${NODES_MAX} nodes.`);
    return document.content ?? [];
  }
  return [structuredClone(node) as unknown as DocumentNode];
};

const changeNodes = (type: ContentType, document: DocumentNode, operation: Operation): number => {
  const path = readPath(operation);
  const { op } = operation;
  if (op === 'append_node' || op === 'prepend_node') {
    const parent = descend(document, path ?? []);
    const nodes = readNodes(type, operation);
    parent.content =
      op === 'append_node' ? [...(parent.content ?? []), ...nodes] : [...nodes, ...(parent.content ?? [])];
    return 1;
  }
  if (path === null) throw new Refusal('index or path is missing.');
  const at = path.at(-1)!;
  if (op === 'insert_node') {
    const parent = descend(document, path.slice(0, -1));
    parent.content ??= [];
    if (at > parent.content.length) {
      throw new Refusal(`index ${at} is past the end; "${parent.type}" has ${parent.content.length} nodes.`);
    }
    parent.content.splice(at, 0, ...readNodes(type, operation));
    return 1;
  }
  descend(document, path);
  const siblings = descend(document, path.slice(0, -1)).content ?? [];
  siblings.splice(at, 1, ...(op === 'replace_node' ? readNodes(type, operation) : []));
  return 1;
};

const applyOne = (
  type: ContentType,
  content: Content,
  operation: unknown,
): { content: Content; applied: AppliedOperation } => {
  const op = isRecord(operation) ? operation.op : undefined;
  if (!isRecord(operation) || typeof op !== 'string' || !Object.hasOwn(PARAMETERS, op)) {
    throw new Refusal(`op must be one of ${Object.keys(PARAMETERS).join(', ')}.`);
  }
  const unknown = Object.keys(operation).find((key) => key !== 'op' && !PARAMETERS[op]!.includes(key));
  if (unknown !== undefined) throw new Refusal(`${op} takes ${PARAMETERS[op]!.join(', ')}, not "${unknown}".`);
  if (op === 'replace_text') {
    const { content: changed, matched } = replaceText(content, operation);
    return { content: changed, applied: { op, matched } };
  }
  if (typeof content === 'string') throw new Refusal('MARKDOWN content takes replace_text only.');
  return { content, applied: { op, matched: changeNodes(type, content, operation) } };
};

/**
 * Applies edits in order, all or none, and checks what comes out like new content. An issue's path names the operation
 * (`operations`, number) or, for content that became invalid, the place in it.
 */
export const applyOperations = (type: ContentType, content: Content, operations: unknown[]): AppliedOperations => {
  let changed = structuredClone(content);
  const applied: AppliedOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    try {
      const one = applyOne(type, changed, operation);
      changed = one.content;
      applied.push(one.applied);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ok: false, issues: [{ path: ['operations', index], message: error.message }] };
    }
  }
  const parsed = parseContent(type, changed);
  return parsed.ok ? { ok: true, content: parsed.content, operations: applied, warnings: parsed.warnings } : parsed;
};
