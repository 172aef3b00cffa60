/** One group of fields: names in lower case, folded lines joined; the first of equal names counts. */
export type Fields = Map<string, string>;

/**
 * Reads the body of a machine-readable part (RFC 3464 section 2.1, RFC 5965 section 3): groups of header-like fields
 * with blank lines between them. Some servers omit the blank lines, so a second field of a recipient begins a group
 * too.
 */
export function readFieldGroups(text: string): Fields[] {
  return text
    .split(/\n[ \t]*\n+/)
    .flatMap(readFields)
    .filter((fields) => fields.size > 0);
}

const beginsRecipient = new Set(['final-recipient', 'original-recipient']);
const isComplete = (values: ReadonlyMap<string, unknown>, name: string): boolean =>
  values.has(name) && (values.has('action') || values.has('status'));

function readFields(text: string): Fields[] {
  const groups = [new Map<string, string[]>()];
  let last: string[] | null = null;
  for (const line of text.split('\n')) {
    if (/^[ \t]/.test(line) && last !== null) {
      last.push(line.trim());
      continue;
    }
    const [, field, value] = /^([A-Za-z][\w-]*)[ \t]*:(.*)$/.exec(line) ?? [];
    const name = field?.toLowerCase();
    if (name !== undefined && beginsRecipient.has(name) && isComplete(groups.at(-1)!, name)) groups.push(new Map());
    const values = groups.at(-1)!;
    last = name === undefined || values.has(name) ? null : [value!.trim()];
    if (last !== null) values.set(name!, last);
  }
  return groups.map((values) => new Map([...values].map(([name, lines]) => [name, lines.join(' ').trim()])));
}

/** The value behind the type of a typed field: `rfc822; ada@example.org` is `ada@example.org`. */
export const typedValue = (field: string | undefined): string | null =>
  field === undefined ? null : field.replace(/^[\w.-]+[ \t]*;[ \t]*/, '').trim() || null;

/**
 * The address in a text, without angle brackets. A word is looked at from its beginning only, or a long one without an
 * @ would take the square of its length.
 */
export function addressIn(text: string | null | undefined): string | null {
  return /(?<![^\s<>()[\]",;:@])[^\s<>()[\]",;:@]+@[^\s<>()[\]",;:@]+\.[a-z0-9-]{2,}/i.exec(text ?? '')?.[0] ?? null;
}
