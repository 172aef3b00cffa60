import { defineTexts } from '../text.js';

const words = {
  button: 'Button',
  image: 'Image',
  logo: 'Logo',
  inlineImage: 'Image',
  spacer: 'Space',
  section: 'Section',
  columns: 'Columns',
  column: 'Column',
  footer: 'Footer',
  html: 'HTML',
  htmlCodeBlock: 'HTML',
  linkCard: 'Link card',
  snippet: 'Snippet',
  repeat: 'For each',
  for: 'For each',
  table: 'Table',
  tableRow: 'Row',
  tableCell: 'Cell',
  tableHeader: 'Header cell',
  variable: 'Variable',
};

export const mailWordText = defineTexts('mailWords', words);

export const mailWord = (type: string): string => (type in words ? mailWordText(type as keyof typeof words) : type);
