/** What makes two names (of tags, fields, segments, snippets) the same: case does not count. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** Escapes a text for a LIKE pattern: % and _ match themselves. */
export const literalInPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
