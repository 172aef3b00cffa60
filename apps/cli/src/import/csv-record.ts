import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { CsvLine } from './csv-line.js';

/** A row of a file: its cells, or why it cannot be read. */
export type CsvRecord = { line: number; cells: string[] } | { line: number; problem: string };

/** A quoted cell still open after this many lines is missing its closing quote. */
const recordLinesMax = 1000;
const recordLettersMax = 1024 * 1024;

const delimiters = [',', ';', '\t'];

/** The delimiter of a file: the one that splits the first line into the most cells. */
export function delimiterOf(header: string): string {
  const cellsBy = (delimiter: string) => parseLine(header, delimiter)?.length ?? 0;
  return delimiters.reduce((best, delimiter) => (cellsBy(delimiter) > cellsBy(best) ? delimiter : best));
}

/**
 * Reads the rows of a file one by one. Quoted cells may hold line breaks. A missing closing quote costs its own line,
 * not the rest of the file: reading continues with the next line. Rows are therefore assembled from lines here, and
 * the parser sees only their cells.
 */
export class CsvRecords {
  readonly #lines: AsyncIterator<CsvLine>;
  readonly #ahead: CsvLine[] = [];
  #delimiter: string | undefined;

  constructor(lines: AsyncIterable<CsvLine>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /**
   * The first row, which determines the delimiter; a line `sep=;` above it, as Excel writes it, names the delimiter.
   * @returns null for an empty file
   */
  async header(): Promise<CsvRecord | null> {
    let first = await this.#filledLine();
    const reported = first && /^sep=(.)$/i.exec(first.text);
    if (reported) first = await this.#filledLine();
    if (!first) return null;
    this.#delimiter = reported?.[1] ?? delimiterOf(first.text);
    return await this.#record(first, null);
  }

  /** The rows after the header, without empty lines. @param columns number of cells in the header */
  async *rows(columns: number): AsyncGenerator<CsvRecord> {
    for (let line = await this.#filledLine(); line; line = await this.#filledLine()) {
      yield await this.#record(line, columns);
    }
  }

  async #next(): Promise<CsvLine | null> {
    const known = this.#ahead.shift();
    if (known) return known;
    const read = await this.#lines.next();
    return read.done ? null : read.value;
  }

  async #filledLine(): Promise<CsvLine | null> {
    for (;;) {
      const line = await this.#next();
      if (line === null || line.text.trim() !== '') return line;
    }
  }

  async #record({ number: line, text, tooLong }: CsvLine, columns: number | null): Promise<CsvRecord> {
    if (tooLong) return { line, problem: 'The line is longer than 2 MB.' };
    const cells = parseLine(text, this.#delimiter!) ?? (await this.#closeQuote(text, columns));
    return cells ? { line, cells } : { line, problem: 'A quote is opened and never closed.' };
  }

  /**
   * Adds lines until the quote that is open in `text` closes. If the result does not have the file's number of cells,
   * the closing quote is missing, and the added lines are read again.
   */
  async #closeQuote(text: string, columns: number | null): Promise<string[] | null> {
    const added: CsvLine[] = [];
    let joined = text;
    let quotes = quotesIn(text);
    while (added.length < recordLinesMax && joined.length < recordLettersMax) {
      const line = await this.#next();
      if (!line) break;
      added.push(line);
      joined += `\n${line.text}`;
      quotes += quotesIn(line.text);
      // Parsing at every line would be quadratic. A record can only be complete where its number of quotes is even.
      if (quotes % 2 === 1 || line.tooLong) continue;
      const cells = parseCells(joined, this.#delimiter!, false);
      if (Array.isArray(cells) && (columns === null || cells.length === columns)) return cells;
      if (cells !== 'open') break;
    }
    this.#ahead.unshift(...added);
    return null;
  }
}

const quotesIn = (text: string) => text.split('"').length - 1;

/** The cells of one line, wherever its quotes are; null when a quoted cell continues in the next line. */
function parseLine(text: string, delimiter: string): string[] | null {
  if (!text.includes('"')) return text.split(delimiter);
  const cells = parseCells(text, delimiter, false);
  if (Array.isArray(cells)) return cells;
  const relaxed = cells === 'open' ? cells : parseCells(text, delimiter, true);
  return Array.isArray(relaxed) ? relaxed : null;
}

function parseCells(text: string, delimiter: string, relaxed: boolean): string[] | 'open' | 'misplaced' {
  try {
    const rows = parse(text, { delimiter, relax_quotes: relaxed, record_delimiter: '\n', relax_column_count: true });
    return rows.length === 1 ? rows[0]! : 'misplaced';
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'open' : 'misplaced';
  }
}
