const accents: Record<string, string> = { a: 'á', e: 'ë', i: 'ï', o: 'ó', u: 'ü' };

/** Makes a text 30 % longer, with accents outside of its values, so that what is cut and what is no text is seen. */
export function lengthen(text: string): string {
  const accented = text.replace(/\{\w+\}|[aeiou]/g, (part) => accents[part] ?? part);
  return `${accented}${' ·~'.repeat(Math.ceil((text.length * 0.3) / 3))}`;
}
