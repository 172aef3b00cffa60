import type { Catalogue } from '../catalogue.js';

export const mailWords: Catalogue['mailWords'] = {
  button: 'Button',
  image: 'Bild',
  logo: 'Logo',
  inlineImage: 'Bild',
  spacer: 'Abstand',
  section: 'Abschnitt',
  columns: 'Spalten',
  column: 'Spalte',
  footer: 'Fußzeile',
  html: 'HTML',
  htmlCodeBlock: 'HTML',
  linkCard: 'Linkkarte',
  snippet: 'Baustein',
  repeat: 'Für jedes',
  for: 'Für jedes',
  table: 'Tabelle',
  tableRow: 'Zeile',
  tableCell: 'Zelle',
  tableHeader: 'Kopfzelle',
  variable: 'Variable',
};
