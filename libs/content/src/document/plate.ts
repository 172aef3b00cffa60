import { ALIGNS, isColor, readPercent, readPixels, readWord } from './attribute.js';
import type { DocumentNode, Mark, Path, Warning } from './document.js';
import { addressProblem } from '../variable/link-target.js';
import { DEPTH_MAX, NODES_MAX } from './limits.js';
import { NODE_RULES } from './node-schema.js';

interface PlateNode extends Record<string, unknown> {
  type?: unknown;
  text?: unknown;
  children?: unknown;
}

const isNode = (value: unknown): value is PlateNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const INLINE = new Set(['a', 'link', 'mention', 'variable', 'date', 'inline_equation']);
const MARKS: Record<string, string> = {
  bold: 'bold',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'strike',
  code: 'code',
};
const ORDERED = /^(?:decimal|lower-|upper-)/u;

class PlateReader {
  readonly warnings: Warning[] = [];
  #nodes = 0;

  /** Past its limit a document is refused, and the rest is not read any more. */
  get isTooLarge(): boolean {
    return this.#nodes > NODES_MAX;
  }

  blocks(nodes: unknown[], path: Path): DocumentNode[] {
    const blocks: DocumentNode[] = [];
    for (let at = 0; at < nodes.length && !this.isTooLarge;) {
      const from = at;
      while (isListed(nodes[at])) at += 1;
      if (at > from) blocks.push(...this.#indentedLists(nodes.slice(from, at) as PlateNode[], path, from));
      else {
        blocks.push(...this.#block(nodes[at], [...path, at]));
        at += 1;
      }
    }
    return blocks;
  }

  #drop(path: Path, what: string): [] {
    this.warnings.push({ code: 'CONTENT_DROPPED', message: `Left out: ${what.slice(0, 160)}.`, path });
    return [];
  }

  #children(node: PlateNode): unknown[] {
    return Array.isArray(node.children) ? (node.children as unknown[]) : [];
  }

  #block(node: unknown, path: Path): DocumentNode[] {
    this.#nodes += 1;
    if (!isNode(node)) return this.#drop(path, 'something that is no node');
    if (path.length > DEPTH_MAX * 2 + 2) return [deepNode()];
    if (typeof node.text === 'string' || INLINE.has(String(node.type))) {
      return [{ type: 'paragraph', content: this.#inline(node, path, []) }];
    }
    if (!Array.isArray(node.children) && NODE_RULES.has(String(node.type))) return [node as unknown as DocumentNode];
    const read = Object.hasOwn(READERS, String(node.type)) ? READERS[String(node.type)] : undefined;
    if (read !== undefined) return read(this, node, path);
    const inner = this.blocks(this.#children(node), [...path, 'children']);
    const empty = inner.every((block) => block.type === 'paragraph' && !block.content?.length);
    this.#drop(path, `the node "${String(node.type)}"${empty ? '' : ' (its content is kept)'}`);
    return empty ? [] : inner;
  }

  textBlock(type: string, node: PlateNode, path: Path, attrs: Record<string, unknown> = {}): DocumentNode[] {
    const align = readWord(node.align, ALIGNS);
    const all = align === null ? attrs : { ...attrs, textAlign: align };
    const before: DocumentNode[] = [];
    const content = this.#children(node).flatMap((child, index) => {
      const at = [...path, 'children', index];
      if (!isNode(child) || typeof child.text === 'string' || INLINE.has(String(child.type)) || isOwnInline(child))
        return this.#inline(child, at, []);
      before.push(...this.#block(child, at));
      return [];
    });
    const block: DocumentNode = { type, content };
    if (Object.keys(all).length > 0) block.attrs = all;
    return content.length > 0 || before.length === 0 ? [block, ...before] : before;
  }

  #inline(node: unknown, path: Path, marks: Mark[]): DocumentNode[] {
    if (this.isTooLarge) return [];
    this.#nodes += 1;
    if (!isNode(node)) return this.#drop(path, 'something that is no node');
    if (typeof node.text === 'string') return this.#leaf(node, node.text, path, marks);
    if (path.length > DEPTH_MAX * 2 + 2) return [deepNode()];
    if (isOwnInline(node)) return [node as unknown as DocumentNode];
    if (node.type === 'mention' || node.type === 'variable') return this.#named(node, path, marks);
    const href = String(node.url ?? node.href ?? '');
    let inner = marks;
    if (href !== '') {
      const problem = addressProblem(href, 'link');
      if (problem === null) inner = [...marks, { type: 'link', attrs: { href } }];
      else this.#drop(path, `a link (${problem})`);
    }
    const nodes = this.#children(node).flatMap((child, index) =>
      this.#inline(child, [...path, 'children', index], inner),
    );
    return nodes.length > 0 || href !== '' ? nodes : this.#drop(path, `the node "${String(node.type)}"`);
  }

  /** Plate has no variables of its own: editors that add them write the name into one of these. */
  #named(node: PlateNode, path: Path, marks: Mark[]): DocumentNode[] {
    const { fallback, required } = node;
    const name = String(node.value ?? node.key ?? node.name ?? (node.type === 'variable' ? node.id : null) ?? '');
    if (name.trim() === '') return this.#drop(path, `a ${String(node.type)} without a name`);
    if (node.type === 'mention' || name.includes('{{')) return [{ type: 'text', text: name, marks }];
    const given = { ...(fallback != null && { fallback }), ...(required != null && { required }) };
    return [{ type: 'variable', attrs: { id: name, ...given }, marks }];
  }

  #leaf(node: PlateNode, text: string, path: Path, outer: Mark[]): DocumentNode[] {
    const marks = [...outer];
    for (const [key, value] of Object.entries(node)) {
      if (key === 'text' || value === false || value == null) continue;
      if (Object.hasOwn(MARKS, key)) marks.push({ type: MARKS[key]! });
      else if (key === 'color' && isColor(value)) marks.push({ type: 'textStyle', attrs: { color: value } });
      else this.#drop([...path, key], `the mark "${key}"`);
    }
    const nodes: DocumentNode[] = [];
    const lines = text.split('\n', NODES_MAX + 1);
    this.#nodes += lines.length - 1;
    for (const [index, line] of lines.entries()) {
      if (index > 0) nodes.push({ type: 'hardBreak' });
      if (line !== '')
        nodes.push(marks.length > 0 ? { type: 'text', text: line, marks } : { type: 'text', text: line });
    }
    return nodes;
  }

  /** Plate's newer lists are paragraphs with an indent and a list style; no level is deeper than a document may be. */
  #indentedLists(run: PlateNode[], path: Path, offset: number): DocumentNode[] {
    const lists: DocumentNode[] = [];
    for (let at = 0; at < run.length;) {
      const first = run[at]!;
      const level = levelOf(first);
      const ordered = ORDERED.test(String(first.listStyleType));
      const items: DocumentNode[] = [];
      while (at < run.length && levelOf(run[at]!) >= level) {
        const node = run[at]!;
        if (levelOf(node) > level) {
          const from = at;
          while (at < run.length && levelOf(run[at]!) > level) at += 1;
          items.at(-1)?.content?.push(...this.#indentedLists(run.slice(from, at), path, offset + from));
          continue;
        }
        if (ORDERED.test(String(node.listStyleType)) !== ordered) break;
        items.push({ type: 'listItem', content: this.textBlock('paragraph', node, [...path, offset + at]) });
        at += 1;
      }
      lists.push({ type: ordered ? 'orderedList' : 'bulletList', content: items });
    }
    return lists;
  }

  list(type: string, node: PlateNode, path: Path): DocumentNode[] {
    const content = this.#children(node).flatMap((item, index): DocumentNode[] => {
      const at = [...path, 'children', index];
      if (!isNode(item) || (item.type !== 'li' && item.type !== 'taskItem'))
        return this.#drop(at, 'a list entry that is none');
      return [{ type: 'listItem', content: this.blocks(this.#children(item), [...at, 'children']) }];
    });
    return [{ type, content }];
  }

  image(node: PlateNode, path: Path): DocumentNode[] {
    const src = String(node.url ?? node.src ?? '');
    const problem = src === '' ? 'it has no address' : addressProblem(src, 'image');
    if (problem !== null) return this.#drop(path, `an image (${problem})`);
    const caption = captionOf(node);
    const alt = typeof node.alt === 'string' && node.alt !== '' ? node.alt : caption;
    // What readers of images see under them, too.
    if (caption !== '' && alt !== caption) this.#drop([...path, 'caption'], 'the caption of an image with alt text');
    const width = readPixels(node.width);
    const alignment = readWord(node.align, ALIGNS);
    return [
      {
        type: 'image',
        attrs: { src, ...(alt ? { alt } : {}), ...(width ? { width } : {}), ...(alignment ? { alignment } : {}) },
      },
    ];
  }

  table(node: PlateNode, path: Path): DocumentNode[] {
    const cells = (row: PlateNode, at: Path): DocumentNode[] =>
      this.#children(row).flatMap((cell, index): DocumentNode[] => {
        if (!isNode(cell) || (cell.type !== 'td' && cell.type !== 'th'))
          return this.#drop([...at, index], 'a table cell that is none');
        const type = cell.type === 'th' ? 'tableHeader' : 'tableCell';
        const content = this.blocks(this.#children(cell), [...at, index, 'children']);
        const attrs = spansOf(cell);
        return [Object.keys(attrs).length > 0 ? { type, attrs, content } : { type, content }];
      });
    const rows = this.#children(node).flatMap((row, index): DocumentNode[] => {
      const at = [...path, 'children', index];
      if (!isNode(row) || row.type !== 'tr') return this.#drop(at, 'a table row that is none');
      return [{ type: 'tableRow', content: cells(row, [...at, 'children']) }];
    });
    return [{ type: 'table', content: rows }];
  }

  columns(node: PlateNode, path: Path): DocumentNode[] {
    const content = this.#children(node).flatMap((column, index): DocumentNode[] => {
      const at = [...path, 'children', index];
      if (!isNode(column) || column.type !== 'column') return this.#drop(at, 'a column that is none');
      const width = readPercent(column.width);
      return [
        {
          type: 'column',
          ...(width === null ? {} : { attrs: { width } }),
          content: this.blocks(this.#children(column), [...at, 'children']),
        },
      ];
    });
    return [{ type: 'columns', content }];
  }

  code(node: PlateNode): DocumentNode[] {
    const text = this.#children(node)
      .map((line) =>
        (isNode(line) ? this.#children(line).map((leaf) => (isNode(leaf) ? String(leaf.text ?? '') : '')) : []).join(
          '',
        ),
      )
      .join('\n');
    return [{ type: 'codeBlock', content: text === '' ? [] : [{ type: 'text', text }] }];
  }

  container(type: string, node: PlateNode, path: Path): DocumentNode[] {
    return [{ type, content: this.blocks(this.#children(node), [...path, 'children']) }];
  }
}

const levelOf = (node: PlateNode): number =>
  typeof node.indent === 'number' && node.indent > 0 ? Math.min(node.indent, DEPTH_MAX) : 1;

const isListed = (node: unknown): boolean =>
  isNode(node) && typeof node.listStyleType === 'string' && node.listStyleType !== 'none';

const isOwnInline = (node: PlateNode): boolean =>
  !Array.isArray(node.children) &&
  typeof node.text !== 'string' &&
  NODE_RULES.get(String(node.type))?.group === 'inline';

const textWithin = ({ text, children }: PlateNode): string => {
  if (typeof text === 'string') return text;
  return Array.isArray(children) ? (children as unknown[]).filter(isNode).map(textWithin).join('') : '';
};

const captionOf = ({ caption }: PlateNode): string => textWithin({ children: caption }).trim();

/** How many columns and rows a cell takes; older versions of Plate keep it among HTML attributes. */
const spansOf = (cell: PlateNode): Record<string, number> => {
  const older = isNode(cell.attributes) ? cell.attributes : {};
  const given = { colspan: Number(cell.colSpan ?? older.colspan), rowspan: Number(cell.rowSpan ?? older.rowspan) };
  return Object.fromEntries(Object.entries(given).filter(([, span]) => Number.isInteger(span) && span > 1));
};

const deepNode = (): DocumentNode => {
  let node: DocumentNode = { type: 'blockquote' };
  for (let level = 0; level <= DEPTH_MAX; level += 1) node = { type: 'blockquote', content: [node] };
  return node;
};

type Reader = (plate: PlateReader, node: PlateNode, path: Path) => DocumentNode[];

const heading =
  (level: number): Reader =>
  (plate, node, path) =>
    plate.textBlock('heading', node, path, { level });
const paragraph: Reader = (plate, node, path) => plate.textBlock('paragraph', node, path);
const image: Reader = (plate, node, path) => plate.image(node, path);
const rule: Reader = () => [{ type: 'horizontalRule' }];
const list =
  (type: string): Reader =>
  (plate, node, path) =>
    plate.list(type, node, path);

const READERS: Record<string, Reader> = {
  p: paragraph,
  paragraph,
  lic: paragraph,
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(3),
  h5: heading(3),
  h6: heading(3),
  blockquote: (plate, node, path) => plate.container('blockquote', node, path),
  ul: list('bulletList'),
  ol: list('orderedList'),
  hr: rule,
  img: image,
  image,
  table: (plate, node, path) => plate.table(node, path),
  column_group: (plate, node, path) => plate.columns(node, path),
  code_block: (plate, node) => plate.code(node),
};

/**
 * Normalises Plate's array of nodes (`[{type:'p', children:[{text}]}]`); paths of the warnings are those of the array.
 * Only the beginning of an array that is too large for a document is read.
 */
export const plateToDocument = (
  nodes: unknown[],
): { document: DocumentNode; warnings: Warning[]; isTooLarge: boolean } => {
  const plate = new PlateReader();
  const document: DocumentNode = { type: 'doc', content: plate.blocks(nodes, []) };
  return { document, warnings: plate.warnings, isTooLarge: plate.isTooLarge };
};
