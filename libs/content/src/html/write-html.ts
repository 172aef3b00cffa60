import type { Align, Block, Column, ListItem, SectionBlock, TableCell, TextStyle } from '../block/block.js';
import { CLOSE_TABLE, openTable } from './layout-table.js';
import type { LinkTarget } from '../variable/link-target.js';
import type { SegmentWriter } from '../template/segment-writer.js';
import { classOf, startOf, toneOf } from './render-context.js';
import type { RenderContext } from './render-context.js';
import { FONT, MONO, THEME } from './theme.js';
import { writeButton } from './write-button.js';
import { writeFragment } from './write-fragment.js';
import { writeInlines, writePicture } from './write-inline.js';

/** Font size and line height. */
const SIZES = { h1: [28, 1.25], h2: [22, 1.3], h3: [18, 1.4], p: [16, 1.6], small: [13, 1.6] } as const;
/** Pixels between blocks. */
const SPACE = 20;
const FULL = ' width="100%"';

const pixels = (sides: readonly number[]): string => sides.map((side) => (side === 0 ? '0' : `${side}px`)).join(' ');

export class HtmlWriter {
  readonly out: SegmentWriter;

  constructor(out: SegmentWriter) {
    this.out = out;
  }

  /** Writes blocks one below the other, the last without space below it. */
  blocks(blocks: Block[], around: RenderContext): void {
    for (const [index, block] of blocks.entries()) {
      const space = index === blocks.length - 1 ? 0 : SPACE;
      this.out.when(block.show, () => this.#block(block, around, space));
    }
  }

  #block(block: Block, around: RenderContext, space: number): void {
    switch (block.kind) {
      case 'text':
        return this.#text(block, around, space);
      case 'list':
        return this.#list(block, around, space);
      case 'quote':
        return this.#quote(block.blocks, around, space);
      case 'code':
        return this.#code(block, around, space);
      case 'rule':
        return this.#row(around, space, null, () => this.#line(around));
      case 'image':
        return this.#row(around, space, block.align, () => writePicture(this.out, block.picture, around, 'block'));
      case 'button':
        return this.#row(around, space, block.align, () => writeButton(this.out, block, around));
      case 'spacer':
        return this.#gap(block.height);
      case 'section':
        return this.#section(block, around, space);
      case 'columns':
        return this.#columns(block.columns, block.gap, around, space);
      case 'footer':
        return this.#group(
          block.blocks,
          {
            ...around,
            muted: true,
            align: block.align ?? around.align,
            direction: block.direction ?? around.direction,
          },
          space,
        );
      case 'table':
        return this.#table(block.rows, around, space);
      case 'card':
        return this.#card(block, around, space);
      case 'fragment':
        return this.#fragment(block, around, space);
      case 'group':
        return this.#group(block.blocks, around, space);
    }
  }

  #group(blocks: Block[], around: RenderContext, space: number): void {
    this.blocks(blocks, around);
    if (blocks.length > 0 && space > 0) this.#gap(space);
  }

  #gap(height: number): void {
    const cell = ` height="${height}" style="height:${height}px;font-size:1px;line-height:${height}px"`;
    this.out.put(openTable(FULL, cell), '&nbsp;', CLOSE_TABLE);
  }

  #line(around: RenderContext): void {
    const { color, name } = toneOf(around, 'line');
    const cell = `${classOf(name)} style="border-top:1px solid ${color};font-size:1px;line-height:1px"`;
    this.out.put(openTable(FULL, cell), '&nbsp;', CLOSE_TABLE);
  }

  #row(around: RenderContext, space: number, align: Align | null, write: () => void): void {
    const wanted = align ?? around.align;
    const side = wanted === null || wanted === 'justify' ? startOf(around) : wanted;
    this.out.put(openTable(FULL, ` align="${side}" style="padding:${pixels([0, 0, space])};font-family:${FONT}"`));
    write();
    this.out.put(CLOSE_TABLE);
  }

  #text(block: Extract<Block, { kind: 'text' }>, around: RenderContext, space: number): void {
    const { tag, direction, inlines } = block;
    const small = tag === 'p' && around.muted;
    const [size, height] = SIZES[small ? 'small' : tag];
    const tone = toneOf(around, tag !== 'p' ? 'heading' : small ? 'muted' : 'text');
    const align = block.align ?? around.align;
    const below = Math.min(space, small ? 8 : tag === 'p' ? SPACE : 16);
    const style =
      `margin:${pixels([0, 0, below])};font-size:${size}px;line-height:${height};color:${tone.color}` +
      `${tag === 'p' ? '' : ';font-weight:700'}${align === null ? '' : `;text-align:${align}`}`;
    this.out.put(`<${tag}${classOf(tone.name)}${direction === null ? '' : ` dir="${direction}"`} style="${style}">`);
    if (inlines.length === 0) this.out.put('&nbsp;');
    writeInlines(this.out, inlines, around);
    this.out.put(`</${tag}>`);
  }

  #list(list: Extract<Block, { kind: 'list' }>, around: RenderContext, space: number): void {
    const tag = list.ordered ? 'ol' : 'ul';
    const { color, name } = toneOf(around, around.muted ? 'muted' : 'text');
    const indent = around.direction === 'rtl' ? '0 24px 0 0' : '0 0 0 24px';
    const [size, height] = SIZES[around.muted ? 'small' : 'p'];
    const start = list.ordered && list.start !== 1 ? ` start="${list.start}"` : '';
    const style =
      `margin:${pixels([0, 0, space])};padding:${indent};font-size:${size}px;line-height:${height};color:${color}` +
      (around.align === null ? '' : `;text-align:${around.align}`);
    this.out.put(`<${tag}${start}${classOf(name)} style="${style}">`);
    for (const item of list.items) this.out.when(item.show, () => this.#item(item, around));
    this.out.put(`</${tag}>`);
  }

  /** The first paragraph of an item goes without `<p>`, whose margin Outlook would add to the item's. */
  #item({ blocks }: ListItem, around: RenderContext): void {
    const [first, ...others] = blocks;
    this.out.put('<li style="margin:0 0 8px">');
    if (first?.kind === 'text' && first.tag === 'p' && first.show === null) {
      writeInlines(this.out, first.inlines, around);
      if (others[0]?.kind === 'text') this.#gap(8);
      this.blocks(others, around);
    } else this.blocks(blocks, around);
    this.out.put('</li>');
  }

  #quote(blocks: Block[], around: RenderContext, space: number): void {
    const { color, name } = toneOf(around, 'line');
    const start = startOf(around);
    const padding = start === 'right' ? '0 16px 0 0' : '0 0 0 16px';
    const style = `margin:${pixels([0, 0, space])};padding:${padding};border-${start}:4px solid ${color}`;
    this.out.put(`<blockquote${classOf(name)} style="${style}">`);
    this.blocks(blocks, { ...around, width: around.width - 20 });
    this.out.put('</blockquote>');
  }

  #code(block: Extract<Block, { kind: 'code' }>, around: RenderContext, space: number): void {
    const face = toneOf(around, 'code');
    const ink = toneOf(around, 'text');
    const style =
      `margin:${pixels([0, 0, space])};padding:12px 16px;background-color:${face.color};border-radius:6px;` +
      `font-family:${MONO};font-size:14px;line-height:1.5;color:${ink.color};text-align:left;white-space:pre-wrap`;
    this.out.put(`<pre dir="ltr"${classOf(face.name, ink.name)} style="${style}">`).text(block.text, 'html');
    this.out.put('</pre>');
  }

  #section(section: SectionBlock, around: RenderContext, space: number): void {
    const { border, radius, padding, margin, align } = section;
    const background = section.background === 'transparent' ? null : section.background;
    const drawn = border.width > 0 && border.style !== 'none';
    const side = align === 'justify' ? startOf(around) : align;
    const style =
      `padding:${pixels(padding)};font-family:${FONT}` +
      (background === null ? '' : `;background-color:${background}`) +
      (drawn ? `;border:${border.width}px ${border.style} ${border.color}` : '') +
      (radius > 0 ? `;border-radius:${radius}px` : '');
    const outer = pixels([margin[0], margin[1], margin[2] + space, margin[3]]);
    this.out.put(openTable(FULL, ` style="padding:${outer}"`));
    this.out.put(
      openTable(
        `${FULL} style="border-collapse:separate"`,
        `${background === null ? '' : ` bgcolor="${background}"`}${side === null ? '' : ` align="${side}"`} style="${style}"`,
      ),
    );
    const taken = padding[1] + padding[3] + margin[1] + margin[3] + (drawn ? 2 * border.width : 0);
    this.blocks(section.blocks, {
      ...around,
      background: background ?? around.background,
      align: align ?? around.align,
      width: Math.max(around.width - taken, 40),
    });
    this.out.put(CLOSE_TABLE, CLOSE_TABLE);
  }

  #columns(columns: Column[], gap: number, around: RenderContext, space: number): void {
    if (columns.length === 0) return;
    const widths = columnWidths(columns);
    this.out.put(openTable(FULL, ` style="padding:${pixels([0, 0, space])}"`));
    this.out.put(`<table role="presentation"${FULL} cellpadding="0" cellspacing="0" border="0"><tr>`);
    for (const [index, column] of columns.entries()) {
      const [before, after] = [index === 0 ? 0 : gap / 2, index === columns.length - 1 ? 0 : gap / 2].map(Math.round);
      const sides = around.direction === 'rtl' ? [0, before!, 0, after!] : [0, after!, 0, before!];
      const width = widths[index]!;
      const vertical = column.verticalAlign;
      const style = `width:${width}%;padding:${pixels(sides)};vertical-align:${vertical};font-family:${FONT}`;
      this.out.when(column.show, () => {
        this.out.put(`<td class="cl" width="${width}%" valign="${vertical}" style="${style}">`);
        const room = Math.round((around.width * width) / 100) - before! - after!;
        this.blocks(column.blocks, { ...around, width: Math.max(room, 40) });
        if (column.blocks.length === 0) this.out.put('&nbsp;');
        this.out.put('</td>');
      });
    }
    this.out.put('</tr></table>', CLOSE_TABLE);
  }

  #table(rows: TableCell[][], around: RenderContext, space: number): void {
    if (rows.length === 0) return;
    const line = toneOf(around, 'line');
    const style = `margin:${pixels([0, 0, space])};border-collapse:collapse`;
    this.out.put(`<table${FULL} cellpadding="0" cellspacing="0" border="0" style="${style}">`);
    for (const row of rows) {
      this.out.put('<tr>');
      for (const { header, align, span, rowSpan, blocks } of row) {
        const tag = header ? 'th' : 'td';
        const side = align ?? startOf(around);
        const cell = `padding:8px 10px;border:1px solid ${line.color};vertical-align:top;font-family:${FONT}`;
        const spans = `${span > 1 ? ` colspan="${span}"` : ''}${rowSpan > 1 ? ` rowspan="${rowSpan}"` : ''}`;
        this.out.put(`<${tag}${spans}${classOf(line.name)} align="${side}"`);
        this.out.put(` style="${cell}">`);
        this.blocks(blocks, { ...around, align: side, width: Math.max(around.width / row.length - 20, 40) });
        this.out.put(`</${tag}>`);
      }
      this.out.put('</tr>');
    }
    this.out.put('</table>');
  }

  #card(card: Extract<Block, { kind: 'card' }>, around: RenderContext, space: number): void {
    const line = toneOf(around, 'line');
    const place = { path: card.path, show: null };
    const style: TextStyle = { bold: false, italic: false, underline: false, strike: false, code: false, color: null };
    const text = (tag: 'p' | 'h3', words: typeof card.text, link: LinkTarget | null): Block[] =>
      words.length === 0
        ? []
        : [
            {
              kind: 'text',
              tag,
              align: null,
              direction: null,
              inlines: [{ kind: 'text', text: words, style, link }],
              ...place,
            },
          ];
    const label = card.label.length === 0 ? card.title : card.label;
    const blocks: Block[] = [
      ...(card.picture
        ? [{ kind: 'image' as const, picture: { ...card.picture, link: card.target }, align: null, ...place }]
        : []),
      ...text('h3', card.title, null),
      ...text('p', card.text, null),
      ...(card.target ? text('p', label, card.target) : []),
    ];
    const look = `padding:16px;border:1px solid ${line.color};border-radius:8px;font-family:${FONT}`;
    this.#row(around, space, null, () => {
      this.out.put(openTable(`${FULL} style="border-collapse:separate"`, `${classOf(line.name)} style="${look}"`));
      this.blocks(blocks, { ...around, width: around.width - 34 });
      this.out.put(CLOSE_TABLE);
    });
  }

  /** An author's own HTML was drawn for a light page: it keeps one in dark mode. */
  #fragment(block: Extract<Block, { kind: 'fragment' }>, around: RenderContext, space: number): void {
    const within = block.markdown ? around : { ...around, background: around.background ?? THEME.card.light };
    const [size, height] = SIZES.p;
    const own = `;font-size:${size}px;line-height:${height};color:${toneOf(within, 'text').color}`;
    const face = around.background === null ? `;background-color:${THEME.card.light}` : '';
    this.out.put(`<div style="margin:${pixels([0, 0, space])}${block.markdown ? '' : own + face}">`);
    writeFragment(block, this, within);
    this.out.put('</div>');
  }
}

/** Shares of the row in percent: as given, the rest equally among the others. */
const columnWidths = (columns: Column[]): number[] => {
  const given = columns.reduce((sum, { width }) => sum + (width ?? 0), 0);
  const open = columns.filter(({ width }) => width === null).length;
  const share = open === 0 ? 0 : Math.max((100 - given) / open, 5);
  const total = given + share * open;
  return columns.map(({ width }) => Math.round(((width ?? share) / total) * 1000) / 10);
};
