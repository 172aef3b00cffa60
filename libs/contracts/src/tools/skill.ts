import { z } from 'zod';
import { defineTools } from '../define.js';

export const skillTypes = [
  'campaign',
  'snippets',
  'templates',
  'variables',
  'copywriter',
  'filters',
  'images',
  'sending',
  'workflow',
  'onboarding',
  'docs',
] as const;

export const skillTools = defineTools('campaign', {
  get_available_variables: {
    summary: 'Lists the variables available in content, subject and preview, with their syntax.',
    category: 'skills',
    scope: 'read',
    rules: [
      "A fallback follows a bar: {{firstName | 'there'}}. Without one, an empty value renders as nothing.",
      'Use the group link only in the href of links: a click changes tags.',
    ],
    input: z.strictObject({}),
    output: z.object({
      variables: z.array(
        z.object({
          name: z.string(),
          syntax: z.string(),
          group: z.enum(['built-in', 'organization', 'custom-field', 'snippet', 'link']),
          description: z.string(),
          example: z.string(),
        }),
      ),
      total: z.int(),
    }),
    errors: [],
    transaction: 'own',
    core: true,
    keywords:
      'placeholders, merge tags, personal greeting, first name in a mail, personalise, insert, salutation, dear',
    example: {},
  },
  get_skill: {
    summary:
      'Returns documentation for a task, with calls that work as shown. Type docs without page returns the catalogue of all pages.',
    category: 'skills',
    scope: 'read',
    rules: ['page requires type docs and is the slug of a page of the catalogue.'],
    input: z.strictObject({ type: z.enum(skillTypes), page: z.string().trim().min(1).max(64).optional() }),
    output: z.object({
      type: z.enum(skillTypes),
      title: z.string(),
      markdown: z.string().optional().describe('The page; absent in the catalogue'),
      pages: z
        .array(z.object({ slug: z.string(), title: z.string(), summary: z.string() }))
        .optional()
        .describe('The catalogue, for type docs without page'),
    }),
    errors: ['SKILL_PAGE_NOT_FOUND', 'PARAMETERS_INVALID'],
    transaction: 'read',
    core: true,
    keywords:
      'help, guide, instructions, manual, how does it work, how do I, documentation, tutorial, learn, getting started, explain, teach me, show me how, best practice',
    example: { type: 'campaign' },
  },
});
