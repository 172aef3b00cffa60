/** HTML that is safe to send; only `markup` creates it. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = string | number | Markup | Markup[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const render = (value: Value): string => {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (char) => ENTITIES[char]!);
};

/** Template tag: escapes texts and keeps markup. */
export const markup = (parts: TemplateStringsArray, ...values: Value[]): Markup =>
  new Markup(parts.reduce((whole, part, at) => whole + render(values[at - 1]!) + part));
