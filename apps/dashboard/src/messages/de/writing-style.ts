import type { Catalogue } from '../catalogue.js';

export const writingStyle: Catalogue['writingStyle'] = {
  title: 'Schreibstil',
  lead: 'Wie Ihre E-Mails klingen. Agenten lesen das, bevor sie einen Entwurf schreiben.',
  name: 'Name des Stils',
  persona: 'Stimme',
  personaHint: 'Wer schreibt, und in welchem Ton',
  audience: 'Leser',
  audienceHint: 'Wer liest, und was schon bekannt ist',
  vocabulary: 'Wörter',
  vocabularyHint: 'Was zu verwenden und was zu vermeiden ist',
  rules: 'Weitere Regeln',
  rulesHint: 'Länge, Anrede, Emojis und Ähnliches',
  saved: 'Der Schreibstil ist gespeichert.',
  discard: 'Änderungen verwerfen',
};
