export const openTable = (table: string, cell: string): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0"${table}><tr><td${cell}>`;

export const CLOSE_TABLE = '</td></tr></table>';
