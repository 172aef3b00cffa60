const codesByName = new Map<string, string>();
const englishNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
  const name = englishNames.of(code);
  // A withdrawn code (FX) turns into another one.
  if (name && new Intl.Locale(`und-${code}`).region === code) codesByName.set(name.toLowerCase(), code);
}

/** The ISO 3166 code of a country given by its English name; anything else stays as it is, for the service to judge. */
export const countryCode = (text: string): string => codesByName.get(text.toLowerCase()) ?? text;
