import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { countryCodes, findCountryCode, listCountryCodes } from './index.js';

const read = <T>(file: string): T => JSON.parse(readFileSync(`node_modules/i18n-iso-countries/${file}`, 'utf8')) as T;
const codes = read<[alpha2: string, alpha3: string][]>('codes.json');
type Names = Record<string, string | string[]>;
const names = (locale: string) => read<{ countries: Names }>(`langs/${locale}.json`).countries;
const mainNames = (locale: string): [text: string, code: string][] =>
  Object.entries(names(locale)).map(([code, texts]) => [[texts].flat()[0]!, code]);

/** Two countries have this name there. */
const ambiguous = new Set(['de Kongo']);

const bare = (text: string) => text.normalize('NFD').replace(/[\u0300-\u036f\u064b-\u065f]/g, '');
const spellings = [
  ...codes.flatMap(([alpha2, alpha3]): [string, string][] => [
    ...([[alpha2, alpha2], [alpha2.toLowerCase(), alpha2]] as [string, string][]), // oxfmt-ignore
    ...([[alpha3, alpha2], [alpha3.toLowerCase(), alpha2]] as [string, string][]), // oxfmt-ignore
  ]),
  ...['en', 'de', 'fr', 'es', 'ar', 'zh', 'ru'].flatMap((locale) =>
    mainNames(locale)
      .filter(([text]) => !ambiguous.has(`${locale} ${text}`))
      .flatMap(([text, code]): [string, string][] =>
        [text, text.toUpperCase(), ` ${text.toLowerCase()} `, bare(text)].map((spelling) => [spelling, code]),
      ),
  ),
];

describe('findCountryCode', () => {
  it('contains every code of ISO 3166-1 and the names of all countries in seven languages, without case and accents', () => {
    expect(spellings.length).toBeGreaterThan(5_000);
    expect(spellings.filter(([text, code]) => findCountryCode(text) !== code)).toEqual([]);
  });

  it.each([
    ['UK', 'GB'],
    ['uk', 'GB'],
    ['EL', 'GR'],
    ['USA', 'US'],
    ['U.S.A.', 'US'],
    ['XK', 'XK'],
    ['Kosovo', 'XK'],
    ['Great Britain', 'GB'],
    ['Osterreich', 'AT'],
    ['Cote d’Ivoire', 'CI'],
    ["COTE D'IVOIRE", 'CI'],
    ['Danmark', 'DK'],
    ['Faeroerne', 'FO'],
    ['Turkiye', 'TR'],
    ['Viet Nam', 'VN'],
    ['Espana', 'ES'],
    ['The Netherlands', 'NL'],
    ['Congo', 'CG'],
    ['Myanmar (Burma)', 'MM'],
    ['Bosnia & Herzegovina', 'BA'],
    ['日本', 'JP'],
    ['Úc', 'AU'],
  ])('reads %j as %s', (text, code) => expect(findCountryCode(text)).toBe(code));

  it.each(['', ' ', '-', 'ZZ', 'XX', 'EU', 'uc', 'y', 'Atlantis', 'Kongo', 'FR DE', '250', 'null', 'constructor'])(
    'finds no country %j',
    (text) => expect(findCountryCode(text)).toBeNull(),
  );

  it('distinguishes countries that differ by a vowel sign only', () => {
    const [niger, niue] = ['NE', 'NU'].map((code) => [names('hi')[code]!].flat()[0]!);
    expect([findCountryCode(niger!), findCountryCode(niue!)]).toEqual(['NE', 'NU']);
  });
});

describe('listCountryCodes', () => {
  it('finds countries by a part of the code or of an English name', () => {
    expect(listCountryCodes('start', 'fr').sort()).toEqual(['FR', 'GF', 'PF', 'TF']);
    expect(listCountryCodes('end', 'STAN').sort()).toEqual(['AF', 'KG', 'KZ', 'PK', 'TJ', 'TM', 'UZ']);
    expect(listCountryCodes('anywhere', 'united k')).toEqual(['GB']);
    expect(listCountryCodes('anywhere', 'cote d’')).toEqual(['CI']);
  });

  it.each(['', ' ', '%', 'atlantis'])('finds none by %j', (text) =>
    expect(listCountryCodes('anywhere', text)).toEqual([]),
  );
});

it('all codes are assigned ones and XK', () => {
  expect(countryCodes().size).toBe(250);
  expect(['XK', 'GB', 'FR'].every((code) => countryCodes().has(code))).toBe(true);
  expect(['UK', 'EL', 'EU', 'ZZ'].some((code) => countryCodes().has(code))).toBe(false);
});
