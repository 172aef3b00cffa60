import type { Block, Inline, TextStyle } from './block.js';
import type { LinkTarget } from '../variable/link-target.js';
import type { Text } from '../variable/variable.js';

export const PLAIN: TextStyle = {
  bold: false,
  italic: false,
  underline: false,
  strike: false,
  code: false,
  color: null,
};

export interface InlineBlocks {
  inlines: Inline[];
  /** Whether that is all of them: a line has no conditions, lists, columns, tables or HTML. */
  whole: boolean;
}

class LineReader {
  readonly lines: Inline[][] = [];
  whole = true;

  read(blocks: Block[]): void {
    for (const block of blocks) {
      // Decision: what only some may see is left out where it cannot be hidden from the others.
      if (block.show === null) this.#block(block);
      else this.whole = false;
    }
  }

  #block(block: Block): void {
    switch (block.kind) {
      case 'text':
        return this.#line(block.inlines);
      case 'button':
        return this.#line([{ kind: 'text', text: block.text, style: PLAIN, link: block.target }]);
      case 'code':
        return this.#line([{ kind: 'text', text: block.text, style: { ...PLAIN, code: true }, link: null }]);
      case 'image':
        return this.#line([{ kind: 'picture', picture: block.picture }]);
      case 'rule':
      case 'spacer':
        return;
      case 'list':
      case 'columns':
        this.whole = false;
        for (const part of block.kind === 'list' ? block.items : block.columns)
          if (part.show === null) this.read(part.blocks);
        return;
      case 'table':
      case 'card':
      case 'fragment':
        this.whole = false;
        return;
      default:
        return this.read(block.blocks);
    }
  }

  #line(inlines: Inline[]): void {
    if (inlines.length > 0) this.lines.push(inlines);
  }
}

export const inLine = (blocks: Block[]): InlineBlocks => {
  const reader = new LineReader();
  reader.read(blocks);
  const inlines = reader.lines.flatMap((line, index): Inline[] => (index === 0 ? line : [{ kind: 'break' }, ...line]));
  return { inlines, whole: reader.whole };
};

/** The same in the look, and with the link, of the text around. */
export const within = (inlines: Inline[], style: TextStyle, link: LinkTarget | null): Inline[] =>
  inlines.map((inline): Inline => {
    if (inline.kind === 'break') return inline;
    if (inline.kind === 'picture')
      return { kind: 'picture', picture: { ...inline.picture, link: link ?? inline.picture.link } };
    const own = inline.style;
    return {
      ...inline,
      link: link ?? inline.link,
      style: {
        bold: own.bold || style.bold,
        italic: own.italic || style.italic,
        underline: own.underline || style.underline,
        strike: own.strike || style.strike,
        code: own.code || style.code,
        color: own.color ?? style.color,
      },
    };
  });

export const bareText = (inlines: Inline[]): Text =>
  inlines.flatMap((inline): Text => (inline.kind === 'text' ? inline.text : inline.kind === 'break' ? [' '] : []));
