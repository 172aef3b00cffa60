/** What makes two names (of tags, fields, segments, snippets) the same: case does not count. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** Puts text on one line: each run of controls and line ends becomes one space. */
export const joinLines = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** Returns a search text without NUL, which PostgreSQL refuses, and outer spaces; null if nothing is left. */
export const searchText = (query: string | null | undefined): string | null =>
  query?.replaceAll('\0', '').trim() || null;

/** Escapes a text for a LIKE pattern: % and _ match themselves. */
export const literalInPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
