import type { ImportCheck } from '#contracts';
import type { FileRecord } from './record-reader.js';

/** Addresses that are counted: with texts of 100 bytes about 3 MB. Rows of further ones are not counted. */
const countedMax = 20_000;
/** Addresses that are shown, and lines of each. */
const [addressesShown, linesShown] = [20, 10];

interface Address {
  email: string;
  lines: number[];
  rows: number;
}

/** Collects the rows of a file by address, for addresses that may occur more than once, in bounded memory. */
export class RepeatedRows {
  readonly #byKey = new Map<string, Address>();

  /** @param records rows of one address, in the order of the file */
  add(emailKey: string, email: string, records: readonly FileRecord[]): void {
    let known = this.#byKey.get(emailKey);
    if (!known) {
      if (this.#byKey.size >= countedMax) return;
      this.#byKey.set(emailKey, (known = { email, lines: [], rows: 0 }));
    }
    known.rows += records.length;
    known.lines.push(...records.slice(0, linesShown - known.lines.length).map(({ line }) => line));
  }

  /** @returns the number of rows whose address an earlier row has, and the first of these addresses */
  result(): NonNullable<ImportCheck['repeated']> {
    const repeated = [...this.#byKey.values()].filter(({ rows }) => rows > 1);
    return {
      rows: repeated.reduce((sum, { rows }) => sum + rows - 1, 0),
      addresses: repeated.slice(0, addressesShown),
    };
  }
}
