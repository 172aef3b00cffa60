/** Opens a layout table of one cell; `table` and `cell` are further attributes of each. */
export const openTable = (table: string, cell: string): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0"${table}><tr><td${cell}>`;

/** Closes what `openTable` opened. */
export const CLOSE_TABLE = '</td></tr></table>';
