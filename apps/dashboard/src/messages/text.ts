/** A text, or its plural forms by `Intl.PluralRules`; `{name}` stands for a value. */
export type Message = string | { one: string; other: string };

/** Texts by noun and key. */
export type Texts = Readonly<Record<string, Readonly<Record<string, Message>>>>;

/** The texts of a noun in another language, of the function that returns the English ones. */
export type Translation<T> = T extends (key: infer K extends string) => string ? Record<K, Message> : never;

/** Where the browser keeps the language that the user chose. */
export const languageKey = 'tidings.language';

type Value = string | number;

let language = 'en';
let overlay: Texts = {};
let alter = (text: string): string => text;

export const currentLanguage = (): string => language;

/** The attribute `lang` of a sentence of the API, which speaks English. */
export const apiLang = (): 'en' | undefined => (language === 'en' ? undefined : 'en');

/** The language as `Intl` writes dates in it: days come before months in all that this dashboard speaks. */
export const dateLocale = (): string => (language === 'en' ? 'en-GB' : language);

/**
 * Shows another language: its texts over the English ones.
 * @param change made of each text, for tests
 */
export function chooseLanguage(name: string, texts: Texts, change = (text: string): string => text): void {
  [language, overlay, alter] = [name, texts, change];
}

/** A text that only other languages have. @returns undefined where the chosen one has none */
export function translated(noun: string, key: string): string | undefined {
  const text = overlay[noun]?.[key];
  return typeof text === 'string' ? text : undefined;
}

function fill(text: string, values: Record<string, Value>): string {
  const numbers = new Intl.NumberFormat(language);
  return alter(text).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value;
  });
}

/**
 * Makes the function that returns the texts of one noun.
 * @param noun the name of the file in messages/en
 * @param texts in English; a plural takes the value `count`
 */
export function defineTexts<K extends string>(noun: string, texts: Record<K, Message>) {
  return (key: K, values: Record<string, Value> = {}): string => {
    const message = overlay[noun]?.[key] ?? texts[key];
    if (typeof message === 'string') return fill(message, values);
    const form = new Intl.PluralRules(language).select(Number(values.count));
    return fill(form === 'one' ? message.one : message.other, values);
  };
}
