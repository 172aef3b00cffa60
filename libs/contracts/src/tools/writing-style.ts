import { z } from 'zod';
import { defineTools } from '../define.js';

const text = z.string().trim().max(10_000).optional();

const writingStyle = z.object({
  name: z.string(),
  persona: z.string(),
  audience: z.string(),
  vocabulary: z.string(),
  rules: z.string(),
});

export const writingStyleTools = defineTools('campaign', {
  get_writing_style: {
    summary:
      "Returns the organization's writing style: persona, audience, vocabulary and rules. Read it before writing.",
    category: 'settings',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ writingStyle }),
    errors: [],
    transaction: 'read',
    keywords:
      'tone of voice, how do we write, brand guidelines, how texts should sound, wording, style guide, formal, casual, our voice',
    example: {},
  },
  update_writing_style: {
    summary: "Updates the organization's writing style.",
    category: 'settings',
    scope: 'write',
    idempotent: true,
    rules: ['Omitted fields keep their values; an empty string clears a field.'],
    input: z.strictObject({
      name: z.string().trim().max(255).optional(),
      persona: text.describe('The voice and tone of the text'),
      audience: text.describe('The readers, and their prior knowledge'),
      vocabulary: text.describe('Words to use and words to avoid'),
      rules: text.describe('Further rules: length, greetings, emoji …'),
    }),
    output: z.object({ writingStyle }),
    errors: ['NOTHING_TO_CHANGE'],
    transaction: 'write',
    keywords:
      'change the tone of voice, sound more casual, formal, save guidelines, brand, style guide, words to avoid, never use, always use, exclamation marks, emoji, from now on',
    example: { persona: 'A gardener who shares what she learns', rules: 'Short sentences. No exclamation marks.' },
  },
});
