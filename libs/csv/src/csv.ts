/** First characters by which a spreadsheet detects a formula; an apostrophe before them keeps the cell a text. */
const formulaStart = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

export const guarded = (text: string): string => (formulaStart.test(text) ? `'${text}` : text);

/** Makes a phone number safe for a cell: a plus and digits are no formula. */
export const guardedPhone = (phone: string): string => (/^\+?\d+$/.test(phone) ? phone : guarded(phone));

/** One record of RFC 4180, with its line end; cells are guarded already. */
export const csvRecord = (cells: readonly string[]): string =>
  `${cells.map((cell) => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
