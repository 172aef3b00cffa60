import { closeSync, openSync, writeSync } from 'node:fs';

export interface RefusedRow {
  /** Line of the file, from 1. */
  line: number;
  email: string | null;
  reason: string;
}

/** Number of refused rows shown when no file collects them. */
const shownMax = 20;

/** Writes refused rows to a CSV file as they occur, or shows the first of them. */
export class RowReport {
  readonly #file: number | null;
  #count = 0;

  /** @param path the file, overwritten if it exists. @throws Error when it cannot be written */
  constructor(
    path: string | undefined,
    private readonly show: (line: string) => void,
  ) {
    this.#file = path === undefined ? null : openSync(path, 'w');
    this.#write(['line', 'email', 'reason']);
  }

  get count(): number {
    return this.#count;
  }

  add({ line, email, reason }: RefusedRow): void {
    this.#count += 1;
    this.#write([String(line), email ?? '', reason]);
    if (this.#file === null && this.#count <= shownMax)
      this.show(`Line ${line}${email ? ` (${email})` : ''}: ${reason}`);
    if (this.#file === null && this.#count === shownMax + 1) this.show('… and more; --report FILE takes all of them.');
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }

  #write(cells: string[]): void {
    if (this.#file !== null) writeSync(this.#file, `${cells.map(csvCell).join(',')}\n`);
  }
}

/** Quotes the text, and disarms a beginning that a spreadsheet would read as a formula. */
const csvCell = (text: string) => `"${text.replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"`;
