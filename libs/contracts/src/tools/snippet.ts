import { z } from 'zod';
import { idText, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { contentWarnings } from './campaign.js';

const snippetSummary = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  archived: z.boolean(),
  variable: z.string().describe('How text refers to the snippet, such as {{snippet:Signature}}'),
  createdAt: timestamp,
  updatedAt: timestamp,
});
const snippet = snippetSummary.extend({ content: z.unknown().describe('A document object') });
const one = { snippet, snippetId: z.string() };
const usedBy = z.array(z.string()).describe('Ids of the campaigns that contain it, newest first, at most 1,000');

const name = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(
    /^[^{}\p{Cc}'"`“”„‘’«»][^{}\p{Cc}]*$/u,
    'must not begin with a quotation mark, nor contain braces or control characters',
  );
const description = z.string().trim().max(1_000).optional();
const content = z.unknown().optional().describe('A document object or its JSON text; omit for an empty one');
const byId = { id: idText.describe('The id of a snippet, snp_…') };

export const snippetTools = defineTools('campaign', {
  get_email_snippets: {
    summary: 'Lists the snippets (content shared by several campaigns), by name.',
    category: 'settings',
    scope: 'read',
    input: z.strictObject({ includeArchived: z.boolean().default(false) }),
    output: z.object({ snippets: z.array(snippetSummary), total: z.int() }),
    errors: [],
    transaction: 'read',
    keywords: 'reusable text blocks, footers, signatures, building blocks, show, which, list saved texts',
    example: { includeArchived: true },
  },
  get_email_snippet: {
    summary: 'Returns a snippet with its full content and the campaigns that contain it.',
    category: 'settings',
    scope: 'read',
    input: z.strictObject(byId),
    output: z.object({ ...one, usedBy }),
    errors: ['SNIPPET_NOT_FOUND'],
    transaction: 'read',
    keywords: 'show one reusable block, footer text, signature, what does it say, read',
    example: { id: '{snippetId}' },
  },
  create_email_snippet: {
    summary: 'Creates a snippet. Campaigns include it with a snippet node or {{snippet:NAME}}.',
    category: 'settings',
    scope: 'write',
    rules: ['Names are compared without case. A snippet cannot contain another snippet.'],
    input: z.strictObject({ name, description, content }),
    output: z.object({ ...one, warnings: contentWarnings }),
    errors: ['SNIPPET_NAME_TAKEN', 'CONTENT_INVALID'],
    transaction: 'own',
    keywords: 'save a paragraph for reuse, new footer, block, signature, shared text, building block, make',
    example: {
      name: 'Signature',
      description: 'How we end our letters',
      content: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Your team' }] }] },
    },
  },
  update_email_snippet: {
    summary: 'Updates a snippet. content replaces the whole content, also in campaigns that are not sent yet.',
    category: 'settings',
    scope: 'write',
    locks: true,
    idempotent: true,
    rules: ['The name cannot change while drafts or scheduled campaigns use it as {{snippet:NAME}}.'],
    input: z.strictObject({ ...byId, name: name.optional(), description, content }),
    output: z.object({ ...one, usedBy, warnings: contentWarnings }),
    errors: ['SNIPPET_NOT_FOUND', 'SNIPPET_NAME_TAKEN', 'SNIPPET_NAME_IN_USE', 'CONTENT_INVALID', 'NOTHING_TO_CHANGE'],
    transaction: 'own',
    keywords: 'change a reusable block, correct the footer, signature, edit shared text, fix everywhere',
    example: { id: '{snippetId}', description: 'Used in every letter' },
  },
  archive_email_snippet: {
    summary: 'Archives a snippet and hides it from the list. Campaigns that contain it keep working.',
    category: 'settings',
    scope: 'write',
    locks: true,
    confirm: true,
    idempotent: true,
    input: z.strictObject(byId),
    output: z.object(one),
    errors: ['SNIPPET_NOT_FOUND'],
    transaction: 'write',
    keywords: 'put a reusable block away, retire a footer, hide, no longer use, delete, remove a signature',
    example: { id: '{snippetId}' },
  },
  unarchive_email_snippet: {
    summary: 'Restores an archived snippet to the list.',
    category: 'settings',
    scope: 'write',
    locks: true,
    idempotent: true,
    input: z.strictObject(byId),
    output: z.object(one),
    errors: ['SNIPPET_NOT_FOUND'],
    transaction: 'write',
    keywords: 'bring back a reusable block, footer, retired text, use again, undelete',
    example: { id: '{snippetId}' },
  },
});
