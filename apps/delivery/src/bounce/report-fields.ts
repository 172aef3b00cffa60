/** One group of fields: names in lower case, folded lines joined; the first of equal names counts. */
export type Fields = Map<string, string>;

/**
 * Reads the body of a machine-readable part (RFC 3464 section 2.1, RFC 5965 section 3): groups of header-like fields with
 * blank lines between them. Lines that are no fields are left out.
 */
export function readFieldGroups(text: string): Fields[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n+/)
    .map(readFields)
    .filter((fields) => fields.size > 0);
}

function readFields(text: string): Fields {
  const fields: Fields = new Map();
  let last: string | null = null;
  for (const line of text.split('\n')) {
    if (/^[ \t]/.test(line) && last !== null) {
      fields.set(last, `${fields.get(last)} ${line.trim()}`.trim());
      continue;
    }
    const [, name, value] = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$/.exec(line) ?? [];
    last = name === undefined || fields.has(name.toLowerCase()) ? null : name.toLowerCase();
    if (last !== null) fields.set(last, value!.trim());
  }
  return fields;
}

/** The value behind the type of a typed field: `rfc822; ada@example.org` is `ada@example.org`. */
export const typedValue = (field: string | undefined): string | null =>
  field === undefined ? null : field.replace(/^[\w.-]+[ \t]*;[ \t]*/, '').trim() || null;

/** The address in a text, without angle brackets; null when there is none. */
export function addressIn(text: string | null | undefined): string | null {
  return /[^\s<>()[\]",;:@]+@[^\s<>()[\]",;:@]+\.[a-z0-9-]{2,}/i.exec(text ?? '')?.[0] ?? null;
}
