/** A name for a set of subscribers. */
export interface Tag {
  id: string;
  name: string;
}

/** What makes two tag names the same: case does not count. */
export const tagNameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
