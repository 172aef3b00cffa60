import type {
  Align,
  Block,
  ButtonBlock,
  Column,
  Inline,
  Picture,
  SectionBlock,
  TableCell,
  TextStyle,
} from './block.js';
import type { LinkTarget } from './link-target.js';
import type { SegmentWriter } from './segment-writer.js';
import { toneOf } from './surroundings.js';
import type { Surroundings } from './surroundings.js';
import { FONT, MONO, isDark } from './theme.js';
import { writeFragment } from './write-fragment.js';

const HEADINGS = { h1: [28, 1.25], h2: [22, 1.3], h3: [18, 1.4] } as const;
const PARAGRAPH = [16, 1.6] as const;
const SMALL = [13, 1.6] as const;

const attribute = (name: string, value: string): string => (value === '' ? '' : ` ${name}="${value}"`);

/** Opens a layout table of one cell; `cell` is what its `td` gets. */
export const openTable = (table: string, cell: string): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0"${table}><tr><td${cell}>`;
export const CLOSE_TABLE = '</td></tr></table>';

/** Writes blocks as HTML that mail clients keep: tables for layout, every style inline. */
export class HtmlWriter {
  readonly out: SegmentWriter;

  constructor(out: SegmentWriter) {
    this.out = out;
  }

  blocks(blocks: Block[], around: Surroundings): void {
    for (const [index, block] of blocks.entries()) {
      const space = index === blocks.length - 1 ? 0 : 20;
      this.out.when(block.show, () => this.#block(block, around, space));
    }
  }

  #block(block: Block, around: Surroundings, space: number): void {
    switch (block.kind) {
      case 'text':
        return this.#text(block, around, space);
      case 'list':
        return this.#list(block, around, space);
      case 'quote':
        return this.#quote(block.blocks, around, space);
      case 'code':
        return this.#code(block, around, space);
      case 'rule': {
        const { color, name } = toneOf(around, 'line');
        const cell = `${attribute('class', name)} style="border-top:1px solid ${color};font-size:1px;line-height:1px"`;
        this.#row(around, space, 'left', () => this.out.put(openTable(' width="100%"', cell), '&nbsp;', CLOSE_TABLE));
        return;
      }
      case 'image':
        return this.#row(around, space, block.align, () => this.picture(block.picture, around, 'block'));
      case 'button':
        return this.#row(around, space, block.align, () => this.#button(block, around));
      case 'spacer':
        this.out.put(
          openTable(
            ' width="100%"',
            ` height="${block.height}" style="height:${block.height}px;font-size:1px;line-height:${block.height}px"`,
          ),
          '&nbsp;',
          CLOSE_TABLE,
        );
        return;
      case 'section':
        return this.#section(block, around, space);
      case 'columns':
        return this.#columns(block.columns, block.gap, around, space);
      case 'footer':
        return this.blocks(block.blocks, {
          ...around,
          muted: true,
          align: block.align ?? around.align,
          direction: block.direction ?? around.direction,
        });
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

  #group(blocks: Block[], around: Surroundings, space: number): void {
    this.blocks(blocks, around);
    if (blocks.length > 0 && space > 0)
      this.out.put(`<div style="height:${space}px;line-height:${space}px;font-size:1px">&nbsp;</div>`);
  }

  #row(around: Surroundings, space: number, align: Align, write: () => void): void {
    const side = align === 'justify' ? 'left' : align;
    this.out.put(openTable(' width="100%"', ` align="${side}" style="padding:0 0 ${space}px;font-family:${FONT}"`));
    write();
    this.out.put(CLOSE_TABLE);
    void around;
  }

  #text(block: Extract<Block, { kind: 'text' }>, around: Surroundings, space: number): void {
    const { tag, direction, inlines } = block;
    const [size, height] = tag === 'p' ? (around.muted ? SMALL : PARAGRAPH) : HEADINGS[tag];
    const tone = toneOf(around, tag === 'p' ? (around.muted ? 'muted' : 'text') : 'heading');
    const align = block.align ?? around.align;
    const margin = tag === 'p' ? (around.muted ? Math.min(space, 8) : space) : Math.min(space, 16);
    const style =
      `margin:0 0 ${margin}px;font-size:${size}px;line-height:${height};color:${tone.color}` +
      (tag === 'p' ? '' : ';font-weight:700') +
      (align === null ? '' : `;text-align:${align}`);
    this.out.put(
      `<${tag}${attribute('class', tone.name)}${direction === null ? '' : ` dir="${direction}"`} style="${style}">`,
    );
    if (inlines.length === 0) this.out.put('&nbsp;');
    this.inlines(inlines, around);
    this.out.put(`</${tag}>`);
  }

  /** Writes a run of text; neighbours with the same link share one `<a>`. */
  inlines(inlines: Inline[], around: Surroundings): void {
    for (let at = 0; at < inlines.length;) {
      const inline = inlines[at]!;
      const link = inline.kind === 'text' ? inline.link : null;
      let end = at + 1;
      while (link !== null && sameLink(inlines[end], link)) end += 1;
      const write = (): void => inlines.slice(at, end).forEach((run) => this.#inline(run, around));
      if (link === null) write();
      else this.anchor(link, around, write);
      at = end;
    }
  }

  /** Writes a link around what `write` writes. */
  anchor(target: LinkTarget, around: Surroundings, write: () => void): void {
    const { color, name } = toneOf(around, around.muted ? 'muted' : 'link');
    this.out.put('<a href="', this.out.builder.href(target, true), `" target="_blank"${attribute('class', name)}`);
    this.out.put(` style="color:${color};text-decoration:underline">`);
    write();
    this.out.put('</a>');
  }

  #inline(inline: Inline, around: Surroundings): void {
    if (inline.kind === 'break') this.out.put('<br>');
    else if (inline.kind === 'picture') this.picture(inline.picture, around, 'inline');
    else {
      const tags = styleTags(inline.style, around);
      this.out.put(...tags.map(([open]) => open)).text(inline.text, 'html');
      this.out.put(...tags.map(([, close]) => close).reverse());
    }
  }

  picture(picture: Picture, around: Surroundings, display: 'block' | 'inline'): void {
    const { src, alt, width, height, radius, link } = picture;
    const { out } = this;
    const shown = width === null ? null : Math.min(width, around.width);
    const tall = height === null || (width !== null && shown !== width) ? null : height;
    const style =
      (display === 'block' ? 'display:block;' : 'display:inline-block;vertical-align:middle;') +
      `max-width:100%;border:0;height:${width === null && tall !== null ? `${tall}px` : 'auto'}` +
      (radius > 0 ? `;border-radius:${radius}px` : '');
    if (link !== null)
      out.put('<a href="', out.builder.href(link, true), '" target="_blank" style="text-decoration:none">');
    out.put('<img src="', out.builder.href(src, false), '" alt="').text(alt, 'html');
    out.put(
      `"${shown === null ? '' : ` width="${shown}"`}${tall === null ? '' : ` height="${tall}"`} style="${style}">`,
    );
    if (link !== null) out.put('</a>');
  }

  /** Padding and background sit on the cell: Outlook for Windows draws neither on a link. */
  #button(button: ButtonBlock, around: Surroundings): void {
    const fill = button.color ?? toneOf(around, 'button').color;
    const themed = button.color === null && around.background === null;
    const label =
      button.textColor ??
      (button.outline
        ? fill
        : button.color === null
          ? toneOf(around, 'buttonText').color
          : isDark(fill)
            ? '#ffffff'
            : '#111827');
    const padding = button.padding.map((size) => `${size}px`).join(' ');
    const face = button.outline ? `border:2px solid ${fill}` : `background-color:${fill};border:2px solid ${fill}`;
    const names = themed
      ? button.outline
        ? ['bo', 'ol']
        : ['bt bo', button.textColor === null ? 'bl' : '']
      : ['', ''];
    const { out } = this;
    out.put(
      openTable(
        ' style="border-collapse:separate"',
        `${button.outline ? '' : ` bgcolor="${fill}"`} align="center"${attribute('class', names[0]!)} style="border-radius:${button.radius}px;${face};mso-padding-alt:${padding}"`,
      ),
      '<a href="',
      out.builder.href(button.target, true),
      `" target="_blank"${attribute('class', names[1]!)} style="display:inline-block;padding:${padding};font-family:${FONT};font-size:16px;line-height:1.25;font-weight:600;color:${label};text-decoration:none;border-radius:${button.radius}px;mso-padding-alt:0">`,
    );
    out.text(button.text, 'html').put('</a>', CLOSE_TABLE);
  }

  #list(list: Extract<Block, { kind: 'list' }>, around: Surroundings, space: number): void {
    const tag = list.ordered ? 'ol' : 'ul';
    const { color, name } = toneOf(around, around.muted ? 'muted' : 'text');
    const indent = around.direction === 'rtl' ? '0 24px 0 0' : '0 0 0 24px';
    const start = list.ordered && list.start !== 1 ? ` start="${list.start}"` : '';
    const [size, height] = around.muted ? SMALL : PARAGRAPH;
    const style = `margin:0 0 ${space}px;padding:${indent};font-size:${size}px;line-height:${height};color:${color}`;
    this.out.put(`<${tag}${start}${attribute('class', name)} style="${style}">`);
    for (const item of list.items) {
      this.out.when(item.show, () => {
        this.out.put('<li style="margin:0 0 8px">');
        const [only] = item.blocks;
        if (only?.kind === 'text' && only.tag === 'p' && only.show === null) {
          this.inlines(only.inlines, around);
          this.blocks(item.blocks.slice(1), around);
        } else this.blocks(item.blocks, around);
        this.out.put('</li>');
      });
    }
    this.out.put(`</${tag}>`);
  }

  #quote(blocks: Block[], around: Surroundings, space: number): void {
    const { color, name } = toneOf(around, 'line');
    const side = around.direction === 'rtl' ? ['right', '0 16px 0 0'] : ['left', '0 0 0 16px'];
    const style = `margin:0 0 ${space}px;padding:${side[1]};border-${side[0]}:4px solid ${color}`;
    this.out.put(`<blockquote${attribute('class', name)} style="${style}">`);
    this.blocks(blocks, { ...around, width: around.width - 20 });
    this.out.put('</blockquote>');
  }

  #code(block: Extract<Block, { kind: 'code' }>, around: Surroundings, space: number): void {
    const fill = toneOf(around, 'code');
    const ink = toneOf(around, 'text');
    const names = [fill.name, ink.name].filter(Boolean).join(' ');
    const style =
      `margin:0 0 ${space}px;padding:12px 16px;background-color:${fill.color};border-radius:6px;font-family:${MONO};` +
      `font-size:14px;line-height:1.5;color:${ink.color};white-space:pre-wrap;word-break:break-word`;
    this.out
      .put(`<pre dir="ltr"${attribute('class', names)} style="${style}">`)
      .text(block.text, 'html')
      .put('</pre>');
  }

  #section(section: SectionBlock, around: Surroundings, space: number): void {
    const { background, border, radius, padding, margin, align, blocks } = section;
    const own = background === null || background === 'transparent' ? around.background : background;
    const pixels = (sides: number[]): string => sides.map((side) => `${side}px`).join(' ');
    const outer = [margin[0], margin[1], margin[2] + space, margin[3]];
    const cell =
      (background === null ? '' : ` bgcolor="${background}"`) +
      ` align="${align === 'justify' ? 'left' : align}" style="padding:${pixels(padding)};font-family:${FONT}` +
      (background === null ? '' : `;background-color:${background}`) +
      (border.width > 0 && border.style !== 'none' ? `;border:${border.width}px ${border.style} ${border.color}` : '') +
      (radius > 0 ? `;border-radius:${radius}px` : '') +
      '"';
    const width = around.width - padding[1] - padding[3] - margin[1] - margin[3] - 2 * border.width;
    this.out.put(openTable(' width="100%"', ` style="padding:${pixels(outer)}"`));
    this.out.put(openTable(' width="100%" style="border-collapse:separate"', cell));
    this.blocks(blocks, {
      ...around,
      background: own,
      align: align === 'left' ? around.align : align,
      width: Math.max(width, 40),
    });
    this.out.put(CLOSE_TABLE, CLOSE_TABLE);
  }

  #columns(columns: Column[], gap: number, around: Surroundings, space: number): void {
    const widths = columnWidths(columns);
    this.out.put(
      `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 ${space}px"><tr>`,
    );
    for (const [index, column] of columns.entries()) {
      const before = index === 0 ? 0 : Math.round(gap / 2);
      const after = index === columns.length - 1 ? 0 : Math.round(gap / 2);
      const sides = around.direction === 'rtl' ? `0 ${before}px 0 ${after}px` : `0 ${after}px 0 ${before}px`;
      const width = widths[index]!;
      this.out.when(column.show, () => {
        this.out.put(
          `<td class="cl" width="${width}%" valign="${column.verticalAlign}" style="width:${width}%;padding:${sides};vertical-align:${column.verticalAlign};font-family:${FONT}">`,
        );
        this.blocks(column.blocks, { ...around, width: Math.round((around.width * width) / 100) - before - after });
        if (column.blocks.length === 0) this.out.put('&nbsp;');
        this.out.put('</td>');
      });
    }
    this.out.put('</tr></table>');
  }

  #table(rows: TableCell[][], around: Surroundings, space: number): void {
    const line = toneOf(around, 'line');
    this.out.put(
      `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 ${space}px;border-collapse:collapse">`,
    );
    for (const row of rows) {
      this.out.put('<tr>');
      for (const { header, align, span, blocks } of row) {
        const tag = header ? 'th' : 'td';
        const side = align ?? (around.direction === 'rtl' ? 'right' : 'left');
        const style = `padding:8px 10px;border:1px solid ${line.color};text-align:${side};vertical-align:top;font-family:${FONT}`;
        this.out.put(
          `<${tag}${span > 1 ? ` colspan="${span}"` : ''}${attribute('class', line.name)} align="${side}" style="${style}">`,
        );
        this.blocks(blocks, { ...around, align: side, width: Math.round(around.width / row.length) - 20 });
        this.out.put(`</${tag}>`);
      }
      this.out.put('</tr>');
    }
    this.out.put('</table>');
  }

  #card(card: Extract<Block, { kind: 'card' }>, around: Surroundings, space: number): void {
    const line = toneOf(around, 'line');
    const blocks: Block[] = [];
    const rest = { path: card.path, show: null };
    const style: TextStyle = { bold: false, italic: false, underline: false, strike: false, code: false, color: null };
    if (card.picture)
      blocks.push({
        kind: 'image',
        picture: { ...card.picture, link: card.target },
        align: 'center',
        logo: false,
        ...rest,
      });
    const text = (tag: 'p' | 'h3', of: typeof card.text, link: LinkTarget | null): void => {
      if (of.length > 0)
        blocks.push({
          kind: 'text',
          tag,
          align: null,
          direction: null,
          inlines: [{ kind: 'text', text: of, style, link }],
          ...rest,
        });
    };
    text('h3', card.title, null);
    text('p', card.text, null);
    text('p', card.label.length > 0 ? card.label : card.target ? ['Read more'] : [], card.target);
    this.#row(around, space, 'left', () => {
      this.out.put(
        openTable(
          ' width="100%" style="border-collapse:separate"',
          `${attribute('class', line.name)} style="padding:16px;border:1px solid ${line.color};border-radius:8px;font-family:${FONT}"`,
        ),
      );
      this.blocks(blocks, { ...around, width: around.width - 34 });
      this.out.put(CLOSE_TABLE);
    });
  }

  #fragment(block: Extract<Block, { kind: 'fragment' }>, around: Surroundings, space: number): void {
    const { color, name } = toneOf(around, around.muted ? 'muted' : 'text');
    this.out.put(
      `<div${attribute('class', block.markdown ? '' : name)} style="margin:0 0 ${space}px${block.markdown ? '' : `;font-size:16px;line-height:1.6;color:${color}`}">`,
    );
    writeFragment(block, this, around);
    this.out.put('</div>');
  }
}

const sameLink = (inline: Inline | undefined, link: LinkTarget): boolean =>
  inline?.kind === 'text' &&
  inline.link !== null &&
  (inline.link === link || JSON.stringify(inline.link) === JSON.stringify(link));

const styleTags = (style: TextStyle, around: Surroundings): [open: string, close: string][] => {
  const tags: [string, string][] = [];
  if (style.color !== null) tags.push([`<span style="color:${style.color}">`, '</span>']);
  if (style.bold) tags.push(['<strong>', '</strong>']);
  if (style.italic) tags.push(['<em>', '</em>']);
  if (style.underline) tags.push(['<u>', '</u>']);
  if (style.strike) tags.push(['<s>', '</s>']);
  if (style.code) {
    const { color, name } = toneOf(around, 'code');
    tags.push([
      `<code${attribute('class', name)} style="padding:2px 4px;background-color:${color};border-radius:4px;font-family:${MONO};font-size:90%">`,
      '</code>',
    ]);
  }
  return tags;
};

const columnWidths = (columns: Column[]): number[] => {
  const given = columns.reduce((sum, { width }) => sum + (width ?? 0), 0);
  const open = columns.filter(({ width }) => width === null).length;
  const share = open === 0 ? 0 : Math.max((100 - given) / open, 5);
  const total = given + share * open;
  return columns.map(({ width }) => Math.round(((width ?? share) / total) * 1000) / 10);
};
