import type { Block, Inline, ListItem, Picture, TableCell } from '../block/block.js';
import type { LinkTarget } from '../variable/link-target.js';
import type { SegmentWriter } from '../template/segment-writer.js';
import { TextLines } from './text-lines.js';
import type { Text } from '../variable/variable.js';
import { writeFragmentText } from './write-fragment-text.js';
import { sameLink } from '../html/write-inline.js';

const UNDERLINE_MAX = 60;

/**
 * Decision: links show their real target behind their words (`text (address)`), since a counted address is unreadable
 * and a text part is read by people who distrust such; only tag links are counted.
 */
export class TextWriter {
  readonly lines: TextLines;
  /** Within a table row, where blocks do not end lines. */
  #row = false;

  constructor(out: SegmentWriter) {
    this.lines = new TextLines(out);
  }

  blocks(blocks: Block[]): void {
    for (const block of blocks) {
      this.lines.out.when(block.show, () => {
        this.#block(block);
        this.#end();
      });
    }
  }

  underline(mark: '=' | '-'): void {
    const length = Math.min(Math.max(this.lines.length, 3), UNDERLINE_MAX);
    this.lines.lineEnd();
    this.lines.text([mark.repeat(length)]);
  }

  linked(target: LinkTarget, words: Text, write: () => void): void {
    write();
    const said = words.join('').trim();
    const address = this.lines.out.builder.address(target, words.length === 0);
    if (typeof address === 'number' || address.slice(2, -1) !== said) this.lines.slot(address, 40);
  }

  picture({ alt, link }: Picture): void {
    if (link === null) this.lines.text(alt);
    else this.linked(link, alt, () => this.lines.text(alt));
  }

  row(write: () => void): void {
    const outer = this.#row;
    this.#row = true;
    write();
    this.#row = outer;
  }

  #end(): void {
    if (this.#row) this.lines.text([' ']);
    else this.lines.blockEnd();
  }

  #block(block: Block): void {
    switch (block.kind) {
      case 'text':
        this.#inlines(block.inlines);
        if ((block.tag === 'h1' || block.tag === 'h2') && !this.#row && block.inlines.length > 0) {
          this.underline(block.tag === 'h1' ? '=' : '-');
        }
        return;
      case 'list':
        return this.#list(block.items, block.ordered ? block.start : null);
      case 'quote':
        return this.lines.indented('> ', '> ', () => this.blocks(block.blocks));
      case 'code':
        return this.lines.indented('    ', '    ', () => this.lines.preformatted(block.text));
      case 'rule':
        return this.lines.text(['-'.repeat(UNDERLINE_MAX)]);
      case 'image':
        return this.picture(block.picture);
      case 'button':
        return this.linked(block.target, block.text, () => this.lines.text(block.text));
      case 'spacer':
        return;
      case 'columns':
        for (const column of block.columns) this.lines.out.when(column.show, () => this.blocks(column.blocks));
        return;
      case 'table':
        return this.#table(block.rows);
      case 'card': {
        const { title, text, target } = block;
        if (target) this.linked(target, title, () => this.lines.text(title));
        else this.lines.text(title);
        this.lines.lineEnd();
        return this.lines.text(text);
      }
      case 'fragment':
        return writeFragmentText(block.tokens, this);
      case 'section':
      case 'footer':
      case 'group':
        return this.blocks(block.blocks);
    }
  }

  #inlines(inlines: Inline[]): void {
    for (let at = 0; at < inlines.length;) {
      const inline = inlines[at]!;
      let end = at + 1;
      const link = inline.kind === 'text' ? inline.link : null;
      if (link !== null) {
        while (sameLink(inlines[end], link)) end += 1;
        const runs = inlines.slice(at, end);
        const words = runs.flatMap((run) => (run.kind === 'text' ? run.text : []));
        this.linked(link, words, () => this.lines.text(words));
      } else if (inline.kind === 'text') this.lines.text(inline.text);
      else if (inline.kind === 'break') this.lines.forcedLineEnd();
      else this.picture(inline.picture);
      at = end;
    }
  }

  #list(items: ListItem[], start: number | null): void {
    for (const [index, item] of items.entries()) {
      const mark = start === null ? '- ' : `${start + index}. `;
      this.lines.out.when(item.show, () =>
        this.lines.indented(mark, ' '.repeat(mark.length), () => {
          for (const [at, block] of item.blocks.entries()) {
            if (at > 0) this.lines.lineEnd();
            this.lines.out.when(block.show, () => this.#block(block));
          }
        }),
      );
      this.lines.lineEnd();
    }
  }

  #table(rows: TableCell[][]): void {
    for (const row of rows) {
      this.row(() => {
        for (const [index, { blocks }] of row.entries()) {
          if (index > 0) this.lines.text(['| ']);
          this.blocks(blocks);
        }
      });
      this.lines.lineEnd();
      if (row.some(({ header }) => header)) {
        this.lines.text(['-'.repeat(UNDERLINE_MAX)]);
        this.lines.lineEnd();
      }
    }
  }
}
