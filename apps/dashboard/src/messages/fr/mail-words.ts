import type { Catalogue } from '../catalogue.js';

export const mailWords: Catalogue['mailWords'] = {
  button: 'Bouton',
  image: 'Image',
  logo: 'Logo',
  inlineImage: 'Image',
  spacer: 'Espace',
  section: 'Section',
  columns: 'Colonnes',
  column: 'Colonne',
  footer: 'Pied de page',
  html: 'HTML',
  htmlCodeBlock: 'HTML',
  linkCard: 'Carte de lien',
  snippet: 'Extrait',
  repeat: 'Pour chaque',
  for: 'Pour chaque',
  table: 'Tableau',
  tableRow: 'Ligne',
  tableCell: 'Cellule',
  tableHeader: 'Cellule d’en-tête',
  variable: 'Variable',
};
