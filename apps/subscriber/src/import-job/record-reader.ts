import { parse } from 'csv-parse/sync';
import { decode } from './file-format.js';
import type { FileFormat } from './file-format.js';

/** A row of a file: its cells, or why it cannot be read. */
export type FileRecord = { line: number; cells: string[] } | { line: number; problem: string };

export interface FilePlace {
  /** Bytes of the file before it. */
  bytes: number;
  lines: number;
}

/** A quoted cell still open after this many lines is missing its closing quote. */
const recordLinesMax = 1_000;
const recordBytesMax = 1024 * 1024;
/** Bytes kept of a line without end, which is refused. */
const lineBytesMax = 2 * 1024 * 1024;

interface Line {
  text: string;
  end: number;
}

/**
 * Reads the rows of a file one by one. Quoted cells may hold line breaks; a missing closing quote costs its own line
 * only.
 */
export class RecordReader {
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;
  #base: number;
  #lines: number;
  #isLast = false;
  #skipping = false;
  readonly #width: number;
  readonly #lineEnd: number;

  /**
   * @param columns cells of a whole row; null for the header
   * @param place where to begin, between two rows
   */
  constructor(
    private readonly format: FileFormat,
    private readonly columns: number | null,
    place: FilePlace,
  ) {
    this.#base = place.bytes;
    this.#lines = place.lines;
    this.#width = format.encoding.startsWith('utf-16') ? 2 : 1;
    this.#lineEnd = format.lineEnd.charCodeAt(0);
  }

  get place(): FilePlace {
    return { bytes: this.#base + this.#at, lines: this.#lines };
  }

  /** Adds the next bytes of the file; `isLast` when none follow. */
  push(bytes: Buffer, isLast: boolean): void {
    this.#base += this.#at;
    this.#buffer = this.#at < this.#buffer.length ? Buffer.concat([this.#buffer.subarray(this.#at), bytes]) : bytes;
    this.#at = 0;
    this.#isLast = isLast;
  }

  /** Returns the next row that is not empty. @returns null at the end of the bytes */
  next(): FileRecord | null {
    for (;;) {
      const line = this.#lineAt(this.#at);
      if (!line) return this.#dropLongLine();
      const number = this.#lines + 1;
      if (this.#skipping) {
        this.#skipping = false;
        this.#take(line.end, 1);
        return { line: number, problem: 'The line is longer than 2 MB.' };
      }
      if (line.text.trim() === '') {
        this.#take(line.end, 1);
        continue;
      }
      return this.#record(line, number);
    }
  }

  #record(line: Line, number: number): FileRecord | null {
    const { delimiter } = this.format;
    if (!line.text.includes('"')) {
      this.#take(line.end, 1);
      return { line: number, cells: line.text.split(delimiter) };
    }
    let cells = splitQuoted(line.text, delimiter);
    let { end } = line;
    let count = 1;
    let { text } = line;
    while (cells === 'open' && count < recordLinesMax && end - this.#at < recordBytesMax) {
      const next = this.#lineAt(end);
      if (!next && !this.#isLast) return null;
      if (!next) break;
      text += `\n${next.text}`;
      [end, count] = [next.end, count + 1];
      // A cell can only close in a line with a quote.
      if (next.text.includes('"')) cells = splitQuoted(text, delimiter);
    }
    const isWhole = Array.isArray(cells) && (count === 1 || this.columns === null || cells.length === this.columns);
    if (isWhole) {
      this.#take(end, count);
      return { line: number, cells: cells as string[] };
    }
    this.#take(line.end, 1);
    const relaxed = splitRelaxed(line.text, delimiter);
    return relaxed
      ? { line: number, cells: relaxed }
      : { line: number, problem: 'A quote is opened and never closed.' };
  }

  #take(end: number, lines: number): void {
    this.#at = end;
    this.#lines += lines;
  }

  /** @returns null when the bytes end before the line does */
  #lineAt(from: number): Line | null {
    let at = this.#buffer.indexOf(this.#lineEnd, from);
    if (this.#width === 2)
      while (at !== -1 && !this.#isUnit(at, from)) at = this.#buffer.indexOf(this.#lineEnd, at + 1);
    const bigEndian = this.format.encoding === 'utf-16be';
    const until = at === -1 ? this.#buffer.length : at - (bigEndian ? 1 : 0);
    if (at === -1 && (!this.#isLast || until === from)) return null;
    const end = at === -1 ? this.#buffer.length : at + (this.#width === 2 && !bigEndian ? 2 : 1);
    const whole = this.#width === 2 ? until - ((until - from) % 2) : until;
    const text = decode(this.#buffer.subarray(from, whole), this.format.encoding);
    return { text: text.endsWith('\r') ? text.slice(0, -1) : text, end };
  }

  /** Whether a byte is a line end of UTF-16, not a half of another letter. */
  #isUnit(at: number, from: number): boolean {
    const bigEndian = this.format.encoding === 'utf-16be';
    const isAligned = (at - from) % 2 === (bigEndian ? 1 : 0);
    return isAligned && this.#buffer[bigEndian ? at - 1 : at + 1] === 0;
  }

  #dropLongLine(): null {
    if (this.#buffer.length - this.#at > lineBytesMax) {
      // An even number, so that letters of UTF-16 stay whole.
      const bytes = this.#buffer.length - this.#at;
      this.#at += bytes - (bytes % 2);
      this.#skipping = true;
    }
    return null;
  }
}

/**
 * Splits a row of RFC 4180, section 2.
 * @returns `open` when a quoted cell continues in the next line, `misplaced` when a quote stands within a plain cell or
 * text after a closing quote
 */
function splitQuoted(text: string, delimiter: string): string[] | 'open' | 'misplaced' {
  const cells: string[] = [];
  for (let at = 0; ;) {
    if (text[at] !== '"') {
      const end = text.indexOf(delimiter, at);
      const cell = end === -1 ? text.slice(at) : text.slice(at, end);
      if (cell.includes('"')) return 'misplaced';
      cells.push(cell);
      if (end === -1) return cells;
      at = end + delimiter.length;
      continue;
    }
    let cell = '';
    let from = at + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      if (quote === -1) return 'open';
      cell += text.slice(from, quote);
      if (text[quote + 1] !== '"') {
        at = quote + 1;
        break;
      }
      cell += '"';
      from = quote + 2;
    }
    cells.push(cell);
    if (at === text.length) return cells;
    if (!text.startsWith(delimiter, at)) return 'misplaced';
    at += delimiter.length;
  }
}

/** Splits one line wherever its quotes are. @returns null when that is impossible */
function splitRelaxed(text: string, delimiter: string): string[] | null {
  try {
    const rows = parse(text, { delimiter, relax_quotes: true, record_delimiter: '\n', relax_column_count: true });
    return rows.length === 1 ? rows[0]! : null;
  } catch {
    return null;
  }
}
