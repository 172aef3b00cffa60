/** How a spreadsheet knows a formula; such a text is preceded by an apostrophe and so stays a text. */
const formulaStart = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

/** A text as it may stand in a cell. */
export const guarded = (text: string): string => (formulaStart.test(text) ? `'${text}` : text);

/** A phone number as it may stand in a cell: a plus and digits are no formula. */
export const guardedPhone = (phone: string): string => (/^\+?\d+$/.test(phone) ? phone : guarded(phone));

/** One record of RFC 4180, with its line end; cells are guarded already. */
export const csvRecord = (cells: readonly string[]): string =>
  `${cells.map((cell) => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
