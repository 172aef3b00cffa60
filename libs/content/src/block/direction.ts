import type { Block, Direction } from './block.js';
import type { Text } from '../variable/variable.js';

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const RIGHT_TO_LEFT_LANGUAGE = /^(?:ar|arc|ckb|dv|fa|he|iw|ks|ku-arab|ps|sd|ug|ur|yi)(?:-|$)/iu;
const LETTER = /\p{L}/u;

const textsOf = (blocks: Block[]): Text[] =>
  blocks.flatMap((block): Text[] => {
    switch (block.kind) {
      case 'text':
        return block.inlines.flatMap((inline) => (inline.kind === 'text' ? [inline.text] : []));
      case 'button':
        return [block.text];
      case 'list':
        return block.items.flatMap((item) => textsOf(item.blocks));
      case 'columns':
        return block.columns.flatMap((column) => textsOf(column.blocks));
      case 'fragment':
        return block.tokens.flatMap((token) => (token.kind === 'text' ? [token.text] : []));
      default:
        return 'blocks' in block ? textsOf(block.blocks) : [];
    }
  });

/** The writing direction of a mail: that of its language, else that of most of its letters (the first 2,000). */
export const directionOf = (blocks: Block[], language: string | undefined): Direction => {
  if (language !== undefined && language !== '') return RIGHT_TO_LEFT_LANGUAGE.test(language) ? 'rtl' : 'ltr';
  let balance = 0;
  let seen = 0;
  for (const part of textsOf(blocks).flat()) {
    if (typeof part !== 'string') continue;
    for (const character of part) {
      if (!LETTER.test(character)) continue;
      balance += RIGHT_TO_LEFT.test(character) ? 1 : -1;
      if ((seen += 1) > 2_000) return balance > 0 ? 'rtl' : 'ltr';
    }
  }
  return balance > 0 ? 'rtl' : 'ltr';
};
