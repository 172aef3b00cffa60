/** What makes two snippet names the same: case does not count. */
export const snippetNameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
