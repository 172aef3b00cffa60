import { defineTexts } from '../text.js';

export const compareText = defineTexts('compare', {
  lead: 'Choose for each part which version is saved.',
  theirs: 'Theirs',
  mine: 'Mine',
  button: 'Save this choice',
});
