/** What makes two names (of tags, fields, segments, snippets) the same: case does not count. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** A text as part of a LIKE pattern: % and _ stand for themselves. */
export const literalInPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
