import { defineTexts } from '../text.js';

export const styleText = defineTexts('writingStyle', {
  title: 'Writing style',
  lead: 'How your mail sounds. Agents read it before they write a draft.',
  name: 'Name of the style',
  persona: 'Voice',
  personaHint: 'Who writes, and in which tone',
  audience: 'Readers',
  audienceHint: 'Who reads, and what they know already',
  vocabulary: 'Words',
  vocabularyHint: 'Words to use, and words to avoid',
  rules: 'Further rules',
  rulesHint: 'Length, greetings, emoji and the like',
  saved: 'The writing style is saved.',
  discard: 'Discard changes',
});
