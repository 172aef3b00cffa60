import { csvRecord } from '../export/csv.js';

/** A row of add_rows_to_subscriber_import. */
export type AddedRow = Readonly<Record<string, string | number | boolean | null>>;

/** The columns of rows: their keys, in the order in which they first occur. */
export const columnsOfRows = (rows: readonly AddedRow[]): string[] => [...new Set(rows.flatMap(Object.keys))];

/** Rows as CSV, without a header. */
export const textOfRows = (columns: readonly string[], rows: readonly AddedRow[]): string =>
  rows
    .map((row) => csvRecord(columns.map((column) => (Object.hasOwn(row, column) ? textOf(row[column]) : ''))))
    .join('');

const textOf = (value: AddedRow[string] | undefined): string =>
  value === null || value === undefined ? '' : String(value);

/** The header of the CSV of rows. */
export const headerOfRows = (columns: readonly string[]): string => csvRecord(columns);
