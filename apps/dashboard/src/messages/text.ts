/** A text, or its plural forms by `Intl.PluralRules`; `{name}` stands for a value. */
export type Message = string | { one: string; other: string };

type Value = string | number;

let language = 'en';
const overlays = new Map<string, Record<string, Record<string, Message>>>();

export const currentLanguage = (): string => language;

/** Shows another language: its texts by noun, over the English ones. */
export function chooseLanguage(name: string, texts: Record<string, Record<string, Message>>): void {
  language = name;
  overlays.set(name, texts);
}

const numbers = (): Intl.NumberFormat => new Intl.NumberFormat(language);

function fill(text: string, values: Record<string, Value>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === 'number' ? numbers().format(value) : value;
  });
}

/**
 * Makes the function that returns the texts of one noun.
 * @param noun the name of the file in messages/en
 * @param texts in English; a plural takes the value `count`
 */
export function defineTexts<K extends string>(noun: string, texts: Record<K, Message>) {
  return (key: K, values: Record<string, Value> = {}): string => {
    const message = overlays.get(language)?.[noun]?.[key] ?? texts[key];
    if (typeof message === 'string') return fill(message, values);
    const form = new Intl.PluralRules(language).select(Number(values.count));
    return fill(form === 'one' ? message.one : message.other, values);
  };
}
