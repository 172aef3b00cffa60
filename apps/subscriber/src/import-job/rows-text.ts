import { csvRecord } from '#csv';

export type AddedRow = Readonly<Record<string, string | number | boolean | null>>;

export const columnsOfRows = (rows: readonly AddedRow[]): string[] => [...new Set(rows.flatMap(Object.keys))];

export const textOfRows = (columns: readonly string[], rows: readonly AddedRow[]): string =>
  rows
    .map((row) => csvRecord(columns.map((column) => (Object.hasOwn(row, column) ? textOf(row[column]) : ''))))
    .join('');

const textOf = (value: AddedRow[string] | undefined): string =>
  value === null || value === undefined ? '' : String(value);

export const headerOfRows = (columns: readonly string[]): string => csvRecord(columns);
