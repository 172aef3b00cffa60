import {
  readAlign,
  readColor,
  readDirection,
  readPercent,
  readPixels,
  readRadius,
  readSides,
  readText,
  readWord,
} from '../document/attribute.js';
import type { Attributes } from '../document/attribute.js';
import type { Block, BlockBody, Column, Inline, ListItem, Picture, TableCell, TextStyle } from './block.js';
import { PLAIN, bareText, inLine, within } from './inline-blocks.js';
import { htmlSource } from '../document/check-document.js';
import type { Content, ContentType, DocumentNode, Mark, Path, ShowIfFilter, Warning } from '../document/document.js';
import { readFragment } from '../fragment/read-fragment.js';
import { NODES_MAX } from '../document/limits.js';
import { readTarget } from '../variable/link-target.js';
import type { LinkTarget } from '../variable/link-target.js';
import { readMarkdown } from '../fragment/markdown.js';
import type { SnippetLookup } from './snippet-lookup.js';
import type { Condition } from '../template/template-builder.js';
import { canonicalName, isVariable, splitText } from '../variable/variable.js';
import type { Text } from '../variable/variable.js';

const SPACER_SIZES: Record<string, number> = { sm: 8, md: 16, lg: 32, xl: 64 };
const LOGO_HEIGHTS: Record<string, number> = { sm: 40, md: 48, lg: 64 };
const INLINE_NODES = new Set(['text', 'hardBreak', 'variable', 'inlineImage']);
/** Snippets are inlined wherever they are named: what they may add up to is four documents. */
const INLINED_NODES_MAX = 4 * NODES_MAX;

/** Reads documents and Markdown into blocks: names and defaults settled, snippets inlined, HTML sanitised. */
export class BlockReader {
  readonly warnings: Warning[] = [];
  readonly #lookup: SnippetLookup;
  #inSnippet = false;
  #inlinedNodes = 0;

  constructor(lookup: SnippetLookup) {
    this.#lookup = lookup;
  }

  content(type: ContentType, content: Content): Block[] {
    if (typeof content !== 'string') return this.#blocks(content.content ?? [], ['content']);
    if (type !== 'MARKDOWN') return [];
    const tokens = readFragment(readMarkdown(content)!.html, this);
    return [{ kind: 'fragment', markdown: true, tokens, path: [], show: null }];
  }

  /** Reads the text of an attribute, a subject or a preview, which may contain only text. */
  text(written: string): Text {
    const text: Text = [];
    for (const part of splitText(written)) {
      if (typeof part === 'string' || isVariable(part)) text.push(part);
      else if ('snippet' in part) text.push(...bareText(this.line(part.snippet, [])));
    }
    return text;
  }

  /** A missing or nested snippet has none and adds a warning. */
  snippet(reference: string, path: Path): Block[] {
    if (this.#inSnippet) {
      this.warnings.push({
        code: 'SNIPPET_NESTED',
        message: `The snippet "${reference}" stands in a snippet and is left out.`,
        path,
      });
      return [];
    }
    const snippet = this.#lookup(reference);
    const size = snippet === null ? 0 : countNodes(snippet.content);
    if (snippet === null || this.#inlinedNodes + size > INLINED_NODES_MAX) {
      const reason = snippet === null ? 'There is no snippet' : 'There is no room for the snippet';
      this.warnings.push({ code: 'SNIPPET_MISSING', message: `${reason} "${reference}".`, path });
      return [];
    }
    this.#inlinedNodes += size;
    this.#inSnippet = true;
    const blocks = this.#blocks(snippet.content.content ?? [], path);
    this.#inSnippet = false;
    return blocks;
  }

  /** A snippet where it is named within a line, which holds no more than texts, links and images. */
  line(reference: string, path: Path): Inline[] {
    const { inlines, whole } = inLine(this.snippet(reference, path));
    if (!whole) {
      this.warnings.push({
        code: 'SNIPPET_IN_LINE',
        message:
          `The snippet "${reference}" stands within a line, which holds only its text, links and images; conditional ` +
          'blocks, tables and HTML are left out. Put it alone in its paragraph.',
        path,
      });
    }
    return inlines;
  }

  #blocks(nodes: DocumentNode[], path: Path): Block[] {
    const blocks: Block[] = [];
    let run: DocumentNode[] = [];
    const flush = (end: number): void => {
      if (run.length === 0) return;
      const at = [...path, end - run.length];
      blocks.push({ ...this.#textBlock('p', { type: 'paragraph', content: run }, at), path: at, show: null });
      run = [];
    };
    for (const [index, node] of nodes.entries()) {
      if (INLINE_NODES.has(node.type)) run.push(node);
      else {
        flush(index);
        blocks.push(...this.#block(node, [...path, index]));
      }
    }
    flush(nodes.length);
    return blocks;
  }

  #block(node: DocumentNode, path: Path): Block[] {
    const read = READERS.get(node.type);
    if (read === undefined) return [];
    return [{ ...read(this, node, path), path, show: readCondition(node.attrs ?? {}) }];
  }

  within(node: DocumentNode, path: Path): Block[] {
    return this.#blocks(node.content ?? [], [...path, 'content']);
  }

  textBlock(node: DocumentNode, path: Path): BlockBody {
    const level = Number(node.attrs?.level);
    return this.#textBlock(
      node.type === 'paragraph' ? 'p' : level === 2 ? 'h2' : level === 3 ? 'h3' : 'h1',
      node,
      path,
    );
  }

  #textBlock(tag: 'p' | 'h1' | 'h2' | 'h3', node: DocumentNode, path: Path): BlockBody {
    const attributes = node.attrs ?? {};
    const [only, ...more] = node.content ?? [];
    const linked = only?.marks?.some(({ type }) => type === 'link');
    const alone = only && more.length === 0 && !linked ? splitText((only.text ?? '').trim()) : [];
    if (alone.length === 1 && typeof alone[0] === 'object' && 'snippet' in alone[0]) {
      return { kind: 'group', blocks: this.snippet(alone[0].snippet, path) };
    }
    return {
      kind: 'text',
      tag,
      align: readAlign(attributes.textAlign),
      direction: readDirection(attributes.textDirection ?? attributes.dir),
      inlines: (node.content ?? []).flatMap((child, index) => this.#inline(child, [...path, 'content', index])),
    };
  }

  #inline(node: DocumentNode, path: Path): Inline[] {
    const attributes = node.attrs ?? {};
    if (node.type === 'hardBreak') return [{ kind: 'break' }];
    if (node.type === 'inlineImage') return [{ kind: 'picture', picture: this.picture(attributes, 20) }];
    const { style, link } = readMarks(node.marks ?? []);
    if (node.type === 'variable') {
      const variable = canonicalName(readText(attributes.id));
      if (variable === null) return [];
      return [{ kind: 'text', text: [{ variable, fallback: readText(attributes.fallback) || null }], style, link }];
    }
    return this.#textRuns(node.text ?? '', path, style, link);
  }

  #textRuns(written: string, path: Path, style: TextStyle, link: LinkTarget | null): Inline[] {
    const runs: Inline[] = [];
    let text: Text = [];
    const flush = (): void => {
      if (text.length > 0) runs.push({ kind: 'text', text, style, link });
      text = [];
    };
    for (const part of splitText(written)) {
      if (typeof part === 'string' || isVariable(part)) text.push(part);
      else if ('snippet' in part) {
        flush();
        runs.push(...within(this.line(part.snippet, path), style, link));
      }
    }
    flush();
    return runs;
  }

  picture(attributes: Attributes, size: number | null): Picture {
    const link = readText(attributes.href) || readText(attributes.externalLink);
    const isVariableLink = !attributes.href && isTrue(attributes.isExternalLinkVariable);
    return {
      src: readTarget(asVariable(readText(attributes.src), attributes.isSrcVariable), 'image'),
      alt: this.text(readText(attributes.alt) || readText(attributes.title)),
      width: readPixels(attributes.width) ?? size,
      height: readPixels(attributes.height) ?? size,
      radius: readRadius(attributes.borderRadius, 0),
      link: link === '' ? null : readTarget(asVariable(link, isVariableLink)),
    };
  }

  columns(node: DocumentNode, path: Path): BlockBody {
    const columns = (node.content ?? []).map((column, index): Column => {
      const at = [...path, 'content', index];
      const attributes = column.attrs ?? {};
      return {
        path: at,
        show: readCondition(attributes),
        width: readPercent(attributes.width),
        verticalAlign: readWord(attributes.verticalAlign, ['top', 'middle', 'bottom'] as const) ?? 'top',
        blocks: this.within(column, at),
      };
    });
    return { kind: 'columns', gap: readPixels(node.attrs?.gap) ?? 16, columns };
  }

  list(node: DocumentNode, path: Path): BlockBody {
    const items = (node.content ?? []).map((item, index): ListItem => {
      const at = [...path, 'content', index];
      return { path: at, show: readCondition(item.attrs ?? {}), blocks: this.within(item, at) };
    });
    return { kind: 'list', ordered: node.type === 'orderedList', start: Number(node.attrs?.start ?? 1), items };
  }

  table(node: DocumentNode, path: Path): BlockBody {
    const rows = (node.content ?? []).map((row, index) =>
      (row.content ?? []).map((cell, column): TableCell => ({
        header: cell.type === 'tableHeader',
        align: readAlign(cell.attrs?.textAlign ?? cell.attrs?.align),
        span: readSpan(cell.attrs?.colspan),
        rowSpan: readSpan(cell.attrs?.rowspan),
        blocks: this.within(cell, [...path, 'content', index, 'content', column]),
      })),
    );
    return { kind: 'table', rows };
  }
}

const readSpan = (value: unknown): number => Math.min(Math.max(Number(value ?? 1), 1), 100);

const isTrue = (value: unknown): boolean => value === true || value === 'true';

/** Maily marks an attribute that is a variable's bare name. */
const asVariable = (written: string, isVariableName: unknown): string =>
  isTrue(isVariableName) && written !== '' && !written.includes('{{') ? `{{${written}}}` : written;

const countNodes = (node: DocumentNode): number =>
  1 + (node.content ?? []).reduce((sum, child) => sum + countNodes(child), 0);

const readCondition = (attributes: Attributes): Condition | null => {
  const filters =
    Array.isArray(attributes.showIf) && attributes.showIf.length > 0 ? (attributes.showIf as ShowIfFilter[]) : null;
  const variable = typeof attributes.showIfKey === 'string' ? canonicalName(attributes.showIfKey) : null;
  return filters === null && variable === null ? null : { filters, variable };
};

const readMarks = (marks: Mark[]): { style: TextStyle; link: LinkTarget | null } => {
  const style = { ...PLAIN };
  let link: LinkTarget | null = null;
  for (const { type, attrs = {} } of marks) {
    if (type === 'link') link = readTarget(asVariable(readText(attrs.href), attrs.isUrlVariable));
    else if (type === 'textStyle') style.color = readColor(attrs.color) ?? style.color;
    else if (type === 'bold' || type === 'italic' || type === 'underline' || type === 'strike' || type === 'code')
      style[type] = true;
  }
  return { style, link };
};

const readSection = (reader: BlockReader, node: DocumentNode, path: Path): BlockBody => {
  const attributes = node.attrs ?? {};
  const [width, style, color] = readText(attributes.border).trim().split(/\s+/u);
  return {
    kind: 'section',
    background: readColor(attributes.backgroundColor),
    border: {
      width: readPixels(attributes.borderWidth ?? width) ?? 0,
      style: readWord(attributes.borderStyle ?? style, ['solid', 'dashed', 'dotted', 'none'] as const) ?? 'solid',
      color: readColor(attributes.borderColor ?? color) ?? '#e5e7eb',
    },
    radius: readRadius(attributes.borderRadius, 0),
    padding: readSides(attributes, 'padding', [16, 16, 16, 16]),
    margin: readSides(attributes, 'margin', [0, 0, 0, 0]),
    align: readAlign(attributes.align),
    blocks: reader.within(node, path),
  };
};

const readButton = (reader: BlockReader, node: DocumentNode): BlockBody => {
  const attributes = node.attrs ?? {};
  return {
    kind: 'button',
    text: reader.text(asVariable(readText(attributes.text), attributes.isTextVariable) || 'Open'),
    target: readTarget(asVariable(readText(attributes.url), attributes.isUrlVariable)),
    outline: readWord(attributes.variant, ['outline']) !== null,
    color: readColor(attributes.buttonColor),
    textColor: readColor(attributes.textColor),
    radius: readRadius(attributes.borderRadius, 6),
    padding: readSides(attributes, 'padding', [12, 24, 12, 24]),
    align: readAlign(attributes.alignment),
  };
};

const readLogo = (reader: BlockReader, node: DocumentNode): BlockBody => {
  const attributes = node.attrs ?? {};
  const picture = reader.picture(attributes, null);
  if (picture.width === null && picture.height === null) {
    picture.height = LOGO_HEIGHTS[readText(attributes.size)] ?? readPixels(attributes.size) ?? LOGO_HEIGHTS.sm!;
  }
  return { kind: 'image', picture, align: readAlign(attributes.alignment) };
};

const readCard = (reader: BlockReader, node: DocumentNode): BlockBody => {
  const attributes = node.attrs ?? {};
  const [image, link] = [readText(attributes.image), readText(attributes.link)];
  const title = reader.text(readText(attributes.title));
  return {
    kind: 'card',
    title,
    picture: image === '' ? null : { ...reader.picture({ src: image }, null), alt: title },
    text: reader.text(readText(attributes.description)),
    label: reader.text(readText(attributes.linkTitle)),
    target: link === '' ? null : readTarget(link),
  };
};

type Reader = (reader: BlockReader, node: DocumentNode, path: Path) => BlockBody;

const group: Reader = (reader, node, path) => ({ kind: 'group', blocks: reader.within(node, path) });
const list: Reader = (reader, node, path) => reader.list(node, path);
const text: Reader = (reader, node, path) => reader.textBlock(node, path);
const html: Reader = (reader, node) => ({
  kind: 'fragment',
  markdown: false,
  tokens: readFragment(htmlSource(node), reader),
});

const READERS = new Map<string, Reader>(
  Object.entries<Reader>({
    paragraph: text,
    heading: text,
    bulletList: list,
    orderedList: list,
    blockquote: (reader, node, path) => ({ kind: 'quote', blocks: reader.within(node, path) }),
    codeBlock: (_reader, node) => ({
      kind: 'code',
      text: splitText((node.content ?? []).map((child) => child.text ?? '').join('')).filter(
        (part) => typeof part === 'string' || isVariable(part),
      ),
    }),
    horizontalRule: () => ({ kind: 'rule' }),
    button: readButton,
    image: (reader, { attrs = {} }) => ({
      kind: 'image',
      picture: reader.picture(attrs, null),
      align: readAlign(attrs.alignment) ?? 'center',
    }),
    logo: readLogo,
    spacer: (_reader, { attrs = {} }) => ({
      kind: 'spacer',
      height: readPixels(attrs.height) ?? SPACER_SIZES[readText(attrs.height)] ?? 16,
    }),
    section: readSection,
    columns: (reader, node, path) => reader.columns(node, path),
    footer: (reader, node, path) => ({
      kind: 'footer',
      align: readAlign(node.attrs?.textAlign),
      direction: readDirection(node.attrs?.textDirection ?? node.attrs?.dir),
      blocks: reader.within(node, path),
    }),
    html,
    htmlCodeBlock: html,
    linkCard: readCard,
    snippet: (reader, node, path) => ({ kind: 'group', blocks: reader.snippet(readText(node.attrs?.snippetId), path) }),
    repeat: group,
    for: group,
    table: (reader, node, path) => reader.table(node, path),
  }),
);
