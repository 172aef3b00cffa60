import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export type CountryPart = 'anywhere' | 'start' | 'end';

/** A country's main name in one language, or all its names with the main one first. */
type LocaleNames = Record<string, string | string[]>;

const { resolve } = createRequire(import.meta.url);
const readPackage = <T>(file: string): T =>
  JSON.parse(readFileSync(resolve(`i18n-iso-countries/${file}`), 'utf8')) as T;

/** Letters that have no decomposition into a base letter and an accent. */
const baseLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  þ: 'th',
};

/**
 * Folds case, accents, spaces and punctuation. Removes only the accents of Latin, Greek, Cyrillic, Hebrew and Arabic:
 * in the scripts of India a mark is a vowel, which distinguishes Niger from Niue.
 */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/gu, '')
    .replace(/[ßæœøđðłħıþ]/gu, (letter) => baseLetters[letter]!)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
};

const codes = once(() => readPackage<[alpha2: string, alpha3: string][]>('codes.json'));

/** The codes of ISO 3166-1 alpha-2 that are assigned, and XK. */
export const countryCodes: () => ReadonlySet<string> = once(() => new Set(codes().map(([alpha2]) => alpha2)));

/** Every code that is taken, in upper case: alpha-2, alpha-3, and two that are in use beside ISO. */
const byCode = once(() => {
  const all = codes().flatMap(([alpha2, alpha3]) => [[alpha2, alpha2] as const, [alpha3, alpha2] as const]);
  return new Map<string, string>([...all, ['UK', 'GB'], ['EL', 'GR']]);
});

const english = once(() => foldedNames(readPackage<{ countries: LocaleNames }>('langs/en.json').countries));

/** Countries by English name: those of the package, then those of the runtime (CLDR), "Myanmar (Burma)". */
const byEnglishName = once((): ReadonlyMap<string, string | null> => {
  const cldr = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const others = [...countryCodes()].map((code) => [code, [fold(cldr.of(code) ?? '')]] as const);
  // The package gives this name to two countries; it is the short name of one in ISO 3166-1.
  return countriesByName([english(), others]).set('congo', 'CG');
});

/** Countries by name in all languages; 78 files, read when the first text is neither a code nor an English name. */
const byName = once(() => {
  const locales = readPackage<string[]>('supportedLocales.json').filter((locale) => locale !== 'en');
  return countriesByName(
    locales.map((locale) => foldedNames(readPackage<{ countries: LocaleNames }>(`langs/${locale}.json`).countries)),
  );
});

type FoldedNames = readonly (readonly [code: string, names: readonly string[]])[];
const foldedNames = (names: LocaleNames): FoldedNames =>
  Object.entries(names).map(([code, texts]) => [code, [texts].flat().map(fold)]);

/** A main name goes before others' further names; what then still means two countries ("Kongo") means none. */
function countriesByName(locales: readonly FoldedNames[]): Map<string, string | null> {
  const all = locales.flat().filter(([code]) => countryCodes().has(code));
  const found = new Map<string, string | null>();
  for (const which of [all.map(([code, names]) => [code, names.slice(0, 1)] as const), all]) {
    const level = new Map<string, string | null>();
    for (const [code, names] of which) {
      for (const name of names) {
        if (name === '' || found.has(name)) continue;
        level.set(name, level.has(name) && level.get(name) !== code ? null : code);
      }
    }
    for (const [name, code] of level) found.set(name, code);
  }
  return found;
}

/**
 * Finds the country of a code or a name: ISO 3166-1 alpha-2 or alpha-3, UK, USA, EL, or a name in a language of
 * i18n-iso-countries; case, accents, spaces and punctuation do not count.
 * @returns the alpha-2 code (or XK); null if the text means no country, or more than one
 */
export function findCountryCode(text: string): string | null {
  const trimmed = text.trim();
  const code = byCode().get(trimmed.toUpperCase());
  if (code !== undefined) return code;
  // Two plain letters are a code or nothing: without its accent, Vietnam's word for Australia is "uc".
  if (/^[a-z]{0,2}$/i.test(trimmed)) return null;
  const folded = fold(trimmed);
  const named = byEnglishName().get(folded);
  return (named === undefined ? byName().get(folded) : named) ?? null;
}

/** Lists the countries whose alpha-2 code or English name has the text in this place, compared as in findCountryCode. */
export function listCountryCodes(part: CountryPart, text: string): string[] {
  const folded = fold(text);
  if (folded === '') return [];
  const has = {
    anywhere: (name: string) => name.includes(folded),
    start: (name: string) => name.startsWith(folded),
    end: (name: string) => name.endsWith(folded),
  }[part];
  return english().flatMap(([code, names]) => ([code.toLowerCase(), ...names].some(has) ? [code] : []));
}
