/** Text that is already markup; `markup` escapes any other text. */
export class Markup {
  constructor(readonly text: string) {}
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (value: unknown): string =>
  value instanceof Markup ? value.text : String(value).replace(/[&<>"']/g, (letter) => entities[letter]!);

/** Template tag that builds markup: text is escaped, lists are joined, null is empty. */
export function markup(parts: TemplateStringsArray, ...values: unknown[]): Markup {
  const texts = values.map((value) =>
    value === null ? '' : Array.isArray(value) ? value.map(escaped).join('') : escaped(value),
  );
  return new Markup(parts.map((part, i) => part + (texts[i] ?? '')).join(''));
}
