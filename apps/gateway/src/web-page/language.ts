export const languages = ['en', 'fr'] as const;
export type Language = (typeof languages)[number];

/** The supported language that a browser prefers (RFC 9110 section 12.5.4); English when it accepts none of them. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const preferences = (acceptLanguage ?? '').slice(0, 1000).split(',');
  let best: { language: Language; quality: number } = { language: 'en', quality: 0 };
  for (const preference of preferences) {
    const [range = '', ...parameters] = preference.trim().toLowerCase().split(';');
    const language = languages.find((one) => range === one || range.startsWith(`${one}-`));
    const quality = Number(/^\s*q=([\d.]+)/.exec(parameters.join(';'))?.[1] ?? 1);
    if (language && quality > best.quality) best = { language, quality };
  }
  return best.language;
}
