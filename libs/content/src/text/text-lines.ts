import type { SegmentWriter } from '../template/segment-writer.js';
import { isVariable } from '../variable/variable.js';
import type { Text } from '../variable/variable.js';

interface Indent {
  /** Before the first line (`- `), then before the others. */
  first: string;
  rest: string;
  used: boolean;
}

/** Writes the lines of a text part: white space as a reader sees it, blank lines between blocks, indents and quote marks. */
export class TextLines {
  readonly out: SegmentWriter;
  readonly #indents: Indent[] = [];
  /** Line ends owed before the next text; written with it, so that a hidden block leaves no gap. */
  #owed = 0;
  #started = false;
  #lineStart = true;
  length = 0;

  constructor(out: SegmentWriter) {
    this.out = out;
  }

  text(text: Text): void {
    for (const part of text) {
      if (isVariable(part)) this.slot(this.out.builder.value(part, 'text'), (part.fallback ?? part.variable).length);
      else this.#literal(part.replace(/[\s\u00a0]+/gu, ' '));
    }
  }

  preformatted(text: Text): void {
    for (const part of text) {
      if (isVariable(part)) this.slot(this.out.builder.value(part, 'text'), 8);
      else {
        for (const [index, line] of part.split('\n').entries()) {
          if (index > 0) this.lineEnd();
          if (line !== '') this.slot(this.out.builder.value(line, 'text'), line.length);
        }
      }
    }
  }

  slot(item: string | number, length: number): void {
    if (item === '') return;
    this.#begin();
    this.out.put(item);
    this.length += length;
  }

  lineEnd(): void {
    if (this.#lineStart) return;
    this.#break(1);
  }

  forcedLineEnd(): void {
    this.#break(this.#owed + 1);
  }

  /** Ends the block: the next text comes after a blank line. */
  blockEnd(): void {
    if (this.#started) this.#break(2);
  }

  indented(first: string, rest: string, write: () => void): void {
    this.#indents.push({ first, rest, used: false });
    write();
    this.#indents.pop();
  }

  #literal(text: string): void {
    const kept = this.#lineStart ? text.trimStart() : text;
    if (kept !== '') this.slot(this.out.builder.value(kept, 'text'), kept.length);
  }

  #break(ends: number): void {
    this.out.trimEnd();
    this.#owed = Math.max(this.#owed, Math.min(ends, 2));
    this.#lineStart = true;
    this.length = 0;
  }

  #begin(): void {
    if (!this.#lineStart) return;
    const blank = this.#indents
      .filter(({ used }) => used)
      .map(({ rest }) => rest)
      .join('')
      .trimEnd();
    const prefix = this.#indents.map((indent) => {
      const text = indent.used ? indent.rest : indent.first;
      indent.used = true;
      return text;
    });
    this.out.put(this.#owed === 2 ? `\n${blank}\n` : '\n'.repeat(this.#owed), prefix.join(''));
    this.#owed = 0;
    this.#lineStart = false;
    this.#started = true;
  }
}
