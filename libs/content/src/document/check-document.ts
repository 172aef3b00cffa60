import type { DocumentNode, Issue, Mark, Path, Warning } from './document.js';
import { readHtml } from '../fragment/html-fragment.js';
import {
  DEPTH_MAX,
  ELEMENTS_MAX,
  HTML_DEPTH_MAX,
  ISSUES_MAX,
  NODES_MAX,
  TEXT_MAX,
  TOO_MANY_ELEMENTS,
} from './limits.js';
import { mostSimilar } from './most-similar.js';
import { MARK_RULES, NODE_RULES } from './node-schema.js';
import type { AttributeRule, NodeRule } from './node-schema.js';
import { splitText } from '../variable/variable.js';

const NODE_KEYS = new Set(['type', 'attrs', 'content', 'marks', 'text']);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const suggestion = (wanted: string, known: string[], otherwise: string): string => {
  const near = mostSimilar(wanted, known, 0.5);
  if (near !== null) return `; did you mean "${near}"?`;
  return known.length === 0 ? '' : `; ${otherwise} ${known.join(', ')}`;
};

const attributeHint = (wanted: string, known: string[]): string =>
  suggestion(wanted, known, 'it has') || '; it has none';

const fits = (rule: NodeRule, type: string, content: NodeRule['content']): boolean => {
  if (content === 'inline') return rule.group === 'inline';
  if (content === 'flow') return rule.group !== 'structure';
  if (content === 'block') return rule.group === 'block';
  if (content === 'row') return type === 'tableCell' || type === 'tableHeader';
  return type === content;
};

const EXPECTED: Record<string, string> = {
  inline: 'text, variable and hardBreak nodes',
  flow: 'blocks or text',
  block: 'blocks (put text into a paragraph)',
  row: 'tableCell and tableHeader nodes',
  text: 'text nodes',
};

/** What editors write where nothing is. */
const isNothing = (value: unknown): boolean =>
  value == null || value === '' || (Array.isArray(value) && value.length === 0);

/** Where words go that were written onto a node. */
const textHint = (type: string, { attributes, content }: NodeRule): string => {
  if (Object.hasOwn(attributes, 'text')) return 'goes into "attrs"';
  return content === null ? `"${type}" has no text` : 'goes into a node of "content": {"type":"text","text":"…"}';
};

/** Copies the parts of a document that the rules allow and lists everything else as an issue with its path. */
class DocumentCheck {
  readonly issues: Issue[] = [];
  readonly warnings: Warning[] = [];
  readonly #inSnippet: boolean;
  #nodes = 0;
  #textLength = 0;
  #elements = 0;

  constructor(inSnippet: boolean) {
    this.#inSnippet = inSnippet;
  }

  root(input: unknown): DocumentNode | null {
    if (!isRecord(input) || input.type !== 'doc') {
      this.#refuse([], 'must be a document: {"type":"doc","content":[…]}');
      return null;
    }
    for (const key of Object.keys(input)) {
      if (key !== 'type' && key !== 'content' && input[key] != null)
        this.#refuse([key], 'is not known on the document');
    }
    return { type: 'doc', content: this.#children(input.content ?? [], ['content'], 1, 'block') };
  }

  #refuse(path: Path, message: string): void {
    if (this.issues.length < ISSUES_MAX) this.issues.push({ path, message });
  }

  #over(path: Path, depth: number): boolean {
    if (this.issues.length >= ISSUES_MAX) return true;
    this.#nodes += 1;
    if (this.#nodes > NODES_MAX) {
      if (this.#nodes === NODES_MAX + 1) this.#refuse([], `has more than ${NODES_MAX} nodes`);
      return true;
    }
    if (depth > DEPTH_MAX) this.#refuse(path, `is nested deeper than ${DEPTH_MAX} levels`);
    return depth > DEPTH_MAX;
  }

  #count(text: string): string {
    const before = this.#textLength;
    this.#textLength += text.length;
    if (before <= TEXT_MAX && this.#textLength > TEXT_MAX) {
      this.#refuse([], `holds more than ${TEXT_MAX} characters of text`);
    }
    return text;
  }

  #children(input: unknown, path: Path, depth: number, content: NodeRule['content']): DocumentNode[] {
    if (!Array.isArray(input)) {
      this.#refuse(path, 'must be a list of nodes');
      return [];
    }
    const nodes: DocumentNode[] = [];
    for (const [index, child] of input.entries()) {
      const at = [...path, index];
      if (this.#over(at, depth)) break;
      const node = this.#node(child, at, depth, content);
      if (node !== null) nodes.push(node);
    }
    return nodes;
  }

  #node(input: unknown, path: Path, depth: number, content: NodeRule['content']): DocumentNode | null {
    if (!isRecord(input) || typeof input.type !== 'string') {
      this.#refuse(path, 'must be a node: {"type":"paragraph", …}');
      return null;
    }
    const { type } = input;
    const rule = NODE_RULES.get(type);
    if (rule === undefined) {
      this.#refuse(path, `"${type.slice(0, 60)}" is no node${suggestion(type, [...NODE_RULES.keys()], 'there are')}`);
      return null;
    }
    const fitting = content === 'text' ? type === 'text' : fits(rule, type, content);
    if (!fitting) {
      this.#refuse(path, `"${type}" cannot stand here, only ${EXPECTED[content ?? ''] ?? `${content} nodes`}`);
      return null;
    }
    for (const key of Object.keys(input)) {
      if (!NODE_KEYS.has(key) && input[key] != null)
        this.#refuse([...path, key], `is not known on a node; attributes go into "attrs"`);
    }
    const node: DocumentNode = { type };
    const attrs = this.#attributes(input.attrs, [...path, 'attrs'], rule.attributes, type);
    if (attrs !== null) node.attrs = attrs;
    if (rule.group === 'inline' && input.marks != null) node.marks = this.#marks(input.marks, [...path, 'marks']);
    else if (!isNothing(input.marks)) this.#refuse([...path, 'marks'], 'stand on the text nodes within');
    if (type === 'text') this.#text(input, node, path);
    else if (!isNothing(input.text)) this.#refuse([...path, 'text'], textHint(type, rule));
    if (rule.content !== null && input.content != null) {
      node.content = this.#children(input.content, [...path, 'content'], depth + 1, rule.content);
    } else if (!isNothing(input.content)) this.#refuse([...path, 'content'], `"${type}" has no content`);
    this.#checkRequired(input.attrs, rule, path);
    this.#checkWhole(node, path);
    return node;
  }

  #text(input: Record<string, unknown>, node: DocumentNode, path: Path): void {
    if (typeof input.text !== 'string') return this.#refuse([...path, 'text'], 'must be text');
    node.text = this.#count(input.text);
    this.#refuseSnippets(node.text, [...path, 'text']);
  }

  #refuseSnippets(text: string, path: Path): void {
    if (this.#inSnippet && splitText(text).some((part) => typeof part === 'object' && 'snippet' in part)) {
      this.#refuse(path, 'a snippet cannot hold another snippet');
    }
  }

  #attributes(
    input: unknown,
    path: Path,
    rules: Record<string, AttributeRule>,
    owner: string,
  ): Record<string, unknown> | null {
    if (input == null) return null;
    if (!isRecord(input)) {
      this.#refuse(path, 'must be an object');
      return null;
    }
    const attrs: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(input)) {
      if (value == null) continue;
      if (!Object.hasOwn(rules, key)) {
        this.#refuse(
          [...path, key],
          `"${owner}" has no attribute "${key.slice(0, 60)}"${attributeHint(key, Object.keys(rules))}`,
        );
        continue;
      }
      const problem = rules[key]!(value);
      if (problem !== null) this.#refuse([...path, key], problem);
      else {
        attrs[key] = value;
        if (typeof value === 'string') this.#refuseSnippets(this.#count(value), [...path, key]);
        else if (typeof value === 'object') this.#count(JSON.stringify(value));
      }
    }
    return attrs;
  }

  #marks(input: unknown, path: Path): Mark[] {
    if (!Array.isArray(input)) {
      this.#refuse(path, 'must be a list of marks');
      return [];
    }
    return input.slice(0, 20).flatMap((mark: unknown, index): Mark[] => {
      const at = [...path, index];
      const type = isRecord(mark) && typeof mark.type === 'string' ? mark.type : null;
      const rules = type === null ? undefined : MARK_RULES.get(type);
      if (type === null || rules === undefined) {
        this.#refuse(
          at,
          `"${String(type).slice(0, 60)}" is no mark${suggestion(String(type), [...MARK_RULES.keys()], 'there are')}`,
        );
        return [];
      }
      const attrs = this.#attributes((mark as { attrs?: unknown }).attrs, [...at, 'attrs'], rules, type);
      if (type === 'link' && !(mark as Mark).attrs?.href) this.#refuse([...at, 'attrs', 'href'], 'is required');
      return [attrs === null ? { type } : { type, attrs }];
    });
  }

  /** A value that is present but wrong already has an issue. */
  #checkRequired(given: unknown, rule: NodeRule, path: Path): void {
    for (const name of rule.required ?? []) {
      if (!isRecord(given) || (given[name] ?? '') === '') this.#refuse([...path, 'attrs', name], 'is required');
    }
  }

  #checkWhole(node: DocumentNode, path: Path): void {
    const { required, fallback } = node.attrs ?? {};
    if (node.type === 'variable' && (required === true || required === 'true') && (fallback ?? '') === '') {
      this.#refuse([...path, 'attrs', 'fallback'], 'a required variable needs a fallback');
    }
    if (node.type === 'snippet' && this.#inSnippet) this.#refuse(path, 'a snippet cannot hold another snippet');
    if (node.type === 'html' || node.type === 'htmlCodeBlock') this.#html(node, path);
  }

  #html(node: DocumentNode, path: Path): void {
    if (this.#elements > ELEMENTS_MAX) return;
    const { problems, dropped, depth, elements } = readHtml(htmlSource(node), ELEMENTS_MAX - this.#elements);
    this.#elements += elements;
    if (this.#elements > ELEMENTS_MAX) this.#refuse(path, `HTML ${TOO_MANY_ELEMENTS}`);
    for (const problem of problems) this.#refuse(path, problem);
    if (depth > HTML_DEPTH_MAX) this.#refuse(path, `HTML is nested deeper than ${HTML_DEPTH_MAX} levels`);
    if (dropped.length > 0) {
      this.warnings.push({ code: 'CONTENT_DROPPED', message: `Left out of the HTML: ${dropped.join(', ')}.`, path });
    }
  }
}

/** The source of an `html` node: its attribute, or its text as Maily keeps it. */
export const htmlSource = ({ attrs, content }: DocumentNode): string => {
  const attribute = attrs?.content ?? attrs?.html;
  if (typeof attribute === 'string' && attribute !== '') return attribute;
  return (content ?? []).map(({ text }) => text ?? '').join('');
};

/**
 * Checks a document against the node rules: types, places, attributes, depth (32) and size (5,000 nodes). Answers a
 * clean copy, or every issue with its path.
 */
export const checkDocument = (
  input: unknown,
  { inSnippet = false } = {},
): { ok: true; content: DocumentNode; warnings: Warning[] } | { ok: false; issues: Issue[] } => {
  const check = new DocumentCheck(inSnippet);
  const content = check.root(input);
  const { issues, warnings } = check;
  return content === null || issues.length > 0 ? { ok: false, issues } : { ok: true, content, warnings };
};
