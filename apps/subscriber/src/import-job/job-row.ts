import { importRow } from '#contracts';
import type { ImportOptions, importRefusalCodes } from '#contracts';
import { parseInput, ToolError } from '#tool-call';
import { readDate } from './date-value.js';
import type { MappedColumn } from './mapping.js';

export type RefusalCode = (typeof importRefusalCodes)[number];

export interface RowRefusal {
  code: RefusalCode;
  message: string;
}

/** A row as import_subscribers takes one; null clears a value. */
export interface JobRow {
  email: string;
  name?: string | null | undefined;
  phone?: string | null | undefined;
  country?: string | undefined;
  ipAddress?: string | undefined;
  fields: Record<string, string | null>;
  tags: string[];
  /** Set when the cell is empty and empty cells clear. */
  clears: { country: boolean; ip: boolean };
}

/**
 * Statuses of other systems that allow mail, without spaces, dashes and underscores. A list of the statuses that forbid
 * it ("cleaned", "opted out", "blocklisted") would never be complete, and a missing one would make a row SUBSCRIBED.
 */
const mailable = new Set(['subscribed', 'active', 'confirmed', 'enabled', 'optedin', 'optin']);

export class RowMapper {
  readonly #columns: readonly MappedColumn[];
  readonly #emailAt: number;

  /**
   * @param columnCount cells of a whole row
   * @param zone IANA name; of times without an offset
   */
  constructor(
    columns: readonly MappedColumn[],
    private readonly columnCount: number,
    private readonly options: Pick<ImportOptions, 'emptyCells' | 'tags'>,
    private readonly zone: string,
  ) {
    this.#columns = columns.filter(({ to }) => to !== 'email');
    this.#emailAt = columns.find(({ to }) => to === 'email')!.at;
  }

  /** The address of a row as it stands in the file. @returns null for none */
  emailOf(cells: readonly string[]): string | null {
    return cells[this.#emailAt]?.trim().slice(0, 320) || null;
  }

  /** Missing cells at the end count as empty; the service validates the address. */
  read(cells: readonly string[]): { row: JobRow } | { refusal: RowRefusal } {
    const surplus = cells.length > this.columnCount && cells.slice(this.columnCount).some((cell) => cell.trim() !== '');
    if (surplus) {
      const message = `The row has ${cells.length} cells, the header ${this.columnCount}: is a cell with the delimiter in it not quoted?`;
      return refused('ROW_INVALID', message);
    }
    const email = cells[this.#emailAt]?.trim() ?? '';
    if (email === '') return refused('EMAIL_MISSING', 'The row has no address.');
    const clear = this.options.emptyCells === 'CLEAR';
    const names: string[] = [];
    const row: JobRow = { email, fields: {}, tags: [...this.options.tags], clears: { country: false, ip: false } };
    for (const { at, to, field, type, format } of this.#columns) {
      const text = cells[at]?.trim() ?? '';
      if (text === '') {
        if (clear) clearIn(row, to, field);
        continue;
      }
      switch (to) {
        case 'name':
          names.push(text);
          break;
        case 'tags':
          row.tags.push(...text.split(/[;,]/).map(tagOf).filter(Boolean));
          break;
        case 'status': {
          const refusal = statusRefusal(text);
          if (refusal) return { refusal };
          break;
        }
        case 'field': {
          const value = this.#valueOf(text, type, format);
          if (typeof value !== 'string') return { refusal: { ...value, message: `${field}: ${value.message}` } };
          row.fields[field!] = value;
          break;
        }
        case 'phone':
        case 'country':
        case 'ipAddress':
          row[to] = text;
          break;
        case 'email':
      }
    }
    if (names.length > 0) row.name = names.join(' ');
    return checked(row);
  }

  #valueOf(text: string, type: MappedColumn['type'], format: MappedColumn['format']): string | RowRefusal {
    if (type === 'NUMBER' && !/^[+-]?\d+(\.\d+)?$/.test(text)) {
      return {
        code: 'NUMBER_INVALID',
        message: `"${text.slice(0, 60)}" is not a number of digits with a decimal point.`,
      };
    }
    if (type !== 'DATE') return text;
    const date = readDate(text, format!, this.zone);
    return date ?? { code: 'DATE_INVALID', message: `"${text.slice(0, 60)}" is not a date of the format ${format}.` };
  }
}

const refused = (code: RefusalCode, message: string) => ({ refusal: { code, message } });

function clearIn(row: JobRow, to: MappedColumn['to'], field: string | undefined): void {
  if (to === 'name' || to === 'phone') row[to] = null;
  else if (to === 'country') row.clears.country = true;
  else if (to === 'ipAddress') row.clears.ip = true;
  else if (to === 'field') row.fields[field!] = null;
}

/** Some systems put each tag of a cell in quotes of its own: `"vip","old"`. */
const tagOf = (text: string): string => {
  const tag = text.trim();
  return (/^"([^"]*)"$/.exec(tag)?.[1] ?? tag).trim();
};

function statusRefusal(status: string): RowRefusal | null {
  if (mailable.has(status.toLowerCase().replace(/[\s_-]/g, ''))) return null;
  const message = `The file says ${status.slice(0, 60)}: importing would subscribe this person again. Leave the status column unmapped if it says nothing about consent.`;
  return { code: 'STATUS_REFUSED', message };
}

/** Checks a row by the contract of import_subscribers, which also cleans its texts. */
function checked({ clears, ...row }: JobRow): { row: JobRow } | { refusal: RowRefusal } {
  try {
    return { row: { ...(parseInput(importRow, row) as Omit<JobRow, 'clears'>), clears } };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return refused('ROW_INVALID', error.message);
  }
}
