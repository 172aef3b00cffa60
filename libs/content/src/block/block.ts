import type { Path } from '../document/document.js';
import type { LinkTarget } from '../variable/link-target.js';
import type { Condition } from '../template/template-builder.js';
import type { Text } from '../variable/variable.js';

export type Align = 'left' | 'center' | 'right' | 'justify';
export type Direction = 'ltr' | 'rtl';

/** How a run of text looks; `color` is checked CSS. */
export interface TextStyle {
  bold: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  code: boolean;
  color: string | null;
}

/** An image within text or on its own; sizes in pixels, null = its natural size. */
export interface Picture {
  src: LinkTarget;
  alt: Text;
  width: number | null;
  height: number | null;
  radius: number;
  link: LinkTarget | null;
}

export type Inline =
  | { kind: 'text'; text: Text; style: TextStyle; link: LinkTarget | null }
  | { kind: 'break' }
  | { kind: 'picture'; picture: Picture };

/** Four CSS pixel sizes: top, right, bottom, left. */
export type Sides = [number, number, number, number];

export interface ButtonBlock {
  kind: 'button';
  text: Text;
  target: LinkTarget;
  outline: boolean;
  color: string | null;
  textColor: string | null;
  radius: number;
  padding: Sides;
  /** Null: where text begins. */
  align: Align | null;
}

export interface SectionBlock {
  kind: 'section';
  background: string | null;
  border: { width: number; color: string; style: string };
  radius: number;
  padding: Sides;
  margin: Sides;
  align: Align | null;
  blocks: Block[];
}

export interface Column {
  path: Path;
  show: Condition | null;
  /** Percent; null = an equal share of the remaining width. */
  width: number | null;
  verticalAlign: 'top' | 'middle' | 'bottom';
  blocks: Block[];
}

export interface ListItem {
  path: Path;
  show: Condition | null;
  blocks: Block[];
}

export interface TableCell {
  header: boolean;
  align: Align | null;
  span: number;
  rowSpan: number;
  blocks: Block[];
}

export type HtmlAttribute = { name: string; value: Text } | { name: 'href' | 'src'; target: LinkTarget };

/** A token of sanitised HTML; `blocks` is an inlined snippet. */
export type HtmlToken =
  | { kind: 'open'; tag: string; attributes: HtmlAttribute[] }
  | { kind: 'close'; tag: string }
  | { kind: 'text'; text: Text }
  | { kind: 'blocks'; blocks: Block[] };

export type BlockBody =
  | {
      kind: 'text';
      tag: 'p' | 'h1' | 'h2' | 'h3';
      align: Align | null;
      direction: Direction | null;
      inlines: Inline[];
    }
  | { kind: 'list'; ordered: boolean; start: number; items: ListItem[] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'code'; text: Text }
  | { kind: 'rule' }
  | { kind: 'image'; picture: Picture; align: Align | null }
  | { kind: 'spacer'; height: number }
  | { kind: 'columns'; gap: number; columns: Column[] }
  | { kind: 'footer'; align: Align | null; direction: Direction | null; blocks: Block[] }
  | { kind: 'table'; rows: TableCell[][] }
  | { kind: 'card'; picture: Picture | null; title: Text; text: Text; label: Text; target: LinkTarget | null }
  /** `markdown`: the look is ours; else the author's. */
  | { kind: 'fragment'; markdown: boolean; tokens: HtmlToken[] }
  | { kind: 'group'; blocks: Block[] }
  | ButtonBlock
  | SectionBlock;

/** What every kind of content is read into before it is written as HTML and as text: aliases, defaults, snippets settled. */
export type Block = BlockBody & { path: Path; show: Condition | null };
