/** HTML that is safe to send; `markup` escapes any other text. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = string | number | null | Markup | readonly Value[];

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function textOf(value: Value): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(textOf).join('');
  return String(value).replace(/[&<>"']/g, (character) => entities[character]!);
}

/** Template tag that builds markup: text is escaped, lists are joined, null is empty. */
export const markup = (parts: TemplateStringsArray, ...values: Value[]): Markup =>
  new Markup(parts.reduce((whole, part, at) => whole + textOf(values[at - 1]!) + part));
