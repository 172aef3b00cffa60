import { importText } from '../messages/en/imports.js';
import { bytes } from '../messages/format-bytes.js';

/** What the API takes of one file. */
export const fileBytesMax = 1024 ** 3;
const nameMax = 255;

/** What of a file speaks against its upload. */
export function problemOf({ name, size }: Pick<File, 'name' | 'size'>): string | null {
  if (size === 0) return importText('isEmpty', { name });
  return size > fileBytesMax ? importText('tooLarge', { name, size: bytes(size) }) : null;
}

/** The name that an import of a file has. */
export const nameOfFile = (name: string): string => name.trim().slice(0, nameMax);

/** Says why a file cannot be the one of which an import has a part; null if it can. */
export function otherFile(
  { name, receivedBytes }: { name: string | null; receivedBytes: number },
  file: Pick<File, 'name' | 'size'>,
): string | null {
  if (receivedBytes > 0 && name !== null && name !== nameOfFile(file.name))
    return importText('upload.otherName', { name, other: file.name });
  return file.size < receivedBytes ? importText('upload.smaller', { name: file.name }) : null;
}
