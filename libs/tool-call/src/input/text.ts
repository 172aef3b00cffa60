/** What makes two names (of tags, fields, segments, snippets) the same: case does not count. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** Returns a search text without NUL, which PostgreSQL refuses, and outer spaces; null if nothing is left. */
export const searchText = (query: string | null | undefined): string | null =>
  query?.replaceAll('\0', '').trim() || null;

export const literalInPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
