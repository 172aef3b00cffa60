import { chooseLanguage, languageKey } from './text.js';
import type { Texts } from './text.js';

/** Languages of the dashboard, by what their speakers call them. */
export const languages = { en: 'English', de: 'Deutsch', fr: 'Français' };
export type Language = keyof typeof languages;

/** Pseudo-languages for tests: English texts that are longer, and the same from right to left. */
const pseudo = ['qps-ploc', 'qps-plocm'];
const isMirrored = (name: string): boolean => name === 'qps-plocm';

const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);

/** The language that the user chose here; otherwise the first of the browser's languages that there is, or English. */
export function chosenLanguage(): string {
  const kept = localStorage.getItem(languageKey);
  if (kept !== null && (isLanguage(kept) || pseudo.includes(kept))) return kept;
  return navigator.languages.map((name) => name.split('-')[0]!).find(isLanguage) ?? 'en';
}

/** Keeps the choice, and opens the page again in that language. */
export function keepLanguage(language: Language): void {
  localStorage.setItem(languageKey, language);
  location.reload();
}

/** Loads the texts of the chosen language; without them, the page speaks English. */
export async function applyLanguage(): Promise<void> {
  const name = chosenLanguage();
  if (name === 'en') return;
  try {
    if (pseudo.includes(name)) chooseLanguage(name, {}, (await import('./pseudo.js')).lengthen);
    else chooseLanguage(name, await textsOf(name as Exclude<Language, 'en'>));
  } catch {
    return;
  }
  Object.assign(document.documentElement, { lang: name, dir: isMirrored(name) ? 'rtl' : 'ltr' });
}

async function textsOf(name: Exclude<Language, 'en'>): Promise<Texts> {
  if (name === 'de') return (await import('./de/all.js')).texts;
  return (await import('./fr/all.js')).texts;
}
