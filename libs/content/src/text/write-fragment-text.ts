import type { Block, HtmlToken } from '../block/block.js';
import { inLine } from '../block/inline-blocks.js';
import { inlineTokens } from '../fragment/read-fragment.js';
import type { LinkTarget } from '../variable/link-target.js';
import type { TextLines } from './text-lines.js';
import type { Text } from '../variable/variable.js';

interface TextBlockWriter {
  lines: TextLines;
  blocks(blocks: Block[]): void;
  linked(target: LinkTarget, words: Text, write: () => void): void;
  underline(mark: '=' | '-'): void;
}

const BLOCKS = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre address section article header footer main nav aside figure center'.split(
    ' ',
  ),
);
const LINES = new Set('div li dt dd tr figcaption caption'.split(' '));
const RULE = '-'.repeat(60);

const endOf = (tokens: HtmlToken[], at: number, tag: string): number => {
  let depth = 0;
  for (let index = at; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token.kind === 'open' && token.tag === tag) depth += 1;
    else if (token.kind === 'close' && token.tag === tag && (depth -= 1) === 0) return index;
  }
  return tokens.length;
};

const textOf = (tokens: HtmlToken[]): Text => tokens.flatMap((token) => (token.kind === 'text' ? token.text : []));

class FragmentText {
  readonly #writer: TextBlockWriter;
  readonly #lines: TextLines;
  #listed = 0;

  constructor(writer: TextBlockWriter) {
    this.#writer = writer;
    this.#lines = writer.lines;
  }

  write(tokens: HtmlToken[]): void {
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at]!;
      if (token.kind === 'text') this.#lines.text(token.text);
      else if (token.kind === 'blocks') {
        this.#lines.blockEnd();
        this.#writer.blocks(token.blocks);
      } else if (token.kind === 'open') at = this.#element(tokens, at, token);
    }
  }

  #element(tokens: HtmlToken[], at: number, open: Extract<HtmlToken, { kind: 'open' }>): number {
    const { tag } = open;
    if (tag === 'br') this.#lines.forcedLineEnd();
    else if (tag === 'img') {
      const alt = open.attributes.find(({ name }) => name === 'alt');
      if (alt && 'value' in alt) this.#lines.text(alt.value);
    } else if (tag === 'hr') {
      this.#lines.blockEnd();
      this.#lines.text([RULE]);
      this.#lines.blockEnd();
    }
    if (tag === 'br' || tag === 'img' || tag === 'hr' || tag === 'col' || tag === 'wbr') return at;
    const end = endOf(tokens, at, tag);
    this.#within(open, tokens.slice(at + 1, end));
    return end;
  }

  #within({ tag, attributes }: Extract<HtmlToken, { kind: 'open' }>, inner: HtmlToken[]): void {
    const lines = this.#lines;
    if (tag === 'a') {
      const href = attributes.find(({ name }) => name === 'href');
      if (href && 'target' in href) return this.#writer.linked(href.target, textOf(inner), () => this.write(inner));
    }
    this.#edge(tag);
    if (tag === 'ul' || tag === 'ol') this.#list(tag === 'ol', attributes, inner);
    else if (tag === 'blockquote') lines.indented('> ', '> ', () => this.write(inner));
    else if (tag === 'pre') lines.indented('    ', '    ', () => lines.preformatted(trimPre(textOf(inner))));
    else if (tag === 'table' && inner.some((token) => token.kind === 'open' && token.tag === 'th')) this.#table(inner);
    else if (tag === 'td') {
      lines.blockEnd();
      this.write(inner);
      lines.blockEnd();
    } else this.write(inner);
    if ((tag === 'h1' || tag === 'h2') && lines.length > 0) this.#writer.underline(tag === 'h1' ? '=' : '-');
    this.#edge(tag);
  }

  /** A list within a list is not set apart by blank lines. */
  #edge(tag: string): void {
    if (LINES.has(tag) || (this.#listed > 0 && (tag === 'ul' || tag === 'ol'))) this.#lines.lineEnd();
    else if (BLOCKS.has(tag)) this.#lines.blockEnd();
  }

  #list(ordered: boolean, attributes: Extract<HtmlToken, { kind: 'open' }>['attributes'], inner: HtmlToken[]): void {
    const start = attributes.find(({ name }) => name === 'start');
    this.#listed += 1;
    let number = start && 'value' in start ? Number(start.value.join('')) || 1 : 1;
    for (let at = 0; at < inner.length; at += 1) {
      const token = inner[at]!;
      if (token.kind !== 'open' || token.tag !== 'li') continue;
      const end = endOf(inner, at, 'li');
      const mark = ordered ? `${number++}. ` : '- ';
      const item = inner.slice(at + 1, end);
      const lone = item.filter((piece) => piece.kind === 'open' && piece.tag === 'p').length <= 1;
      this.#lines.indented(mark, ' '.repeat(mark.length), () =>
        this.write(lone ? item.filter((piece) => !('tag' in piece && piece.tag === 'p')) : item),
      );
      this.#lines.lineEnd();
      at = end;
    }
    this.#listed -= 1;
  }

  /** A table with a head is data: one line a row, cells apart by bars. */
  #table(inner: HtmlToken[]): void {
    let cells = 0;
    let heads = 0;
    for (let at = 0; at < inner.length; at += 1) {
      const token = inner[at]!;
      if (token.kind === 'open' && token.tag === 'tr') [cells, heads] = [0, 0];
      if (token.kind === 'open' && (token.tag === 'td' || token.tag === 'th')) {
        const end = endOf(inner, at, token.tag);
        if (cells > 0) this.#lines.text([' | ']);
        cells += 1;
        if (token.tag === 'th') heads += 1;
        for (const piece of inlineOnly(inner.slice(at + 1, end))) this.write(piece);
        at = end;
      }
      if (token.kind === 'close' && token.tag === 'tr') {
        this.#lines.lineEnd();
        if (heads > 0 && heads === cells) {
          this.#lines.text([RULE]);
          this.#lines.lineEnd();
        }
      }
    }
  }
}

/** A cell in one line: its links and images whole, of everything else, a snippet too, the text. */
const inlineOnly = (tokens: HtmlToken[]): HtmlToken[][] => {
  const pieces: HtmlToken[][] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.kind === 'text') pieces.push([token]);
    else if (token.kind === 'open' && token.tag === 'a') {
      const end = endOf(tokens, at, 'a');
      pieces.push(tokens.slice(at, end + 1));
      at = end;
    } else if (token.kind === 'open' && token.tag === 'img') pieces.push([token]);
    else if (token.kind === 'open' && token.tag === 'br') pieces.push([{ kind: 'text', text: [' '] }]);
    else if (token.kind === 'blocks') pieces.push(...inlineOnly(inLine(token.blocks).inlines.flatMap(inlineTokens)));
  }
  return pieces;
};

const trimPre = (text: Text): Text => {
  const last = text.at(-1);
  return typeof last === 'string' ? [...text.slice(0, -1), last.replace(/\n$/u, '')] : text;
};

export const writeFragmentText = (tokens: HtmlToken[], writer: TextBlockWriter): void =>
  new FragmentText(writer).write(tokens);
