import { defineTexts } from '../text.js';

export const copiedText = defineTexts('copied', { copy: 'Copy {what}' });
