import { oneLine } from '#contracts';
import { nameKey } from '#tool-call';

export { literalInPattern, nameKey } from '#tool-call';

/** Whether text is printable ASCII: most is, and the classes of characters cost more than the rest of an import's row. */
export const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

/** Text of one line as it is kept: trimmed, control characters removed; null when nothing is left. */
export const cleanLine = (text: string): string | null => oneLine(text) || null;

/** Text of several lines as it is kept: line breaks and tabs stay. */
export const cleanText = (text: string): string | null =>
  (isPlain(text)
    ? text
    : text
        .replace(/\r\n?/g, '\n')
        .replace(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, '')
        .normalize('NFC')
  ).trim() || null;

/** Names by what they are compared by; of several spellings of one, the first, as calls of their own would have it. */
export function namesByKey(names: readonly string[]): Map<string, string> {
  const byKey = new Map<string, string>();
  for (const name of names) {
    const key = nameKey(name);
    if (!byKey.has(key)) byKey.set(key, name.trim().normalize('NFC'));
  }
  return byKey;
}
