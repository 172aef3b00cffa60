import { z } from 'zod';
import { idText, tagName } from '../common.js';
import { defineTools } from '../define.js';

const tag = z.object({ id: z.string(), name: z.string() });
const countedTag = tag.extend({ subscribersCount: z.int() });

export const tagTools = defineTools('subscriber', {
  list_tags: {
    summary: 'Lists all tags of the organization by name, with the number of subscribers that have each.',
    category: 'tags',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ tags: z.array(countedTag), total: z.int() }),
    errors: [],
    transaction: 'read',
    core: true,
    keywords: 'labels, categories, show, which, what exist',
    example: {},
  },
  create_tag: {
    summary: 'Creates a tag.',
    category: 'tags',
    scope: 'write',
    rules: ['Names are compared without case. An existing name is refused with the id of its tag.'],
    input: z.strictObject({ name: tagName.describe('1–64 characters, no comma or brace') }),
    output: z.object({ tag }),
    errors: ['TAG_NAME_TAKEN'],
    transaction: 'write',
    keywords: 'new label, make, category, define, mark people as, set up a label',
    example: { name: 'newsletter' },
  },
  get_or_create_tags: {
    summary: 'Returns the tags with these names and creates the missing ones.',
    category: 'tags',
    scope: 'write',
    idempotent: true,
    input: z.strictObject({ names: z.array(tagName).min(1).max(100) }),
    output: z.object({ tags: z.array(tag.extend({ created: z.boolean() })) }),
    errors: [],
    transaction: 'write',
    keywords: 'make sure labels exist, look up, find or make, add missing labels, several names, ids',
    example: { names: ['customer', 'lead', 'obsolete'] },
  },
  rename_tag: {
    summary: 'Renames a tag. Its subscribers, segments and filters keep it.',
    category: 'tags',
    scope: 'write',
    idempotent: true,
    rules: [
      'Names are compared without case. No workflow starts.',
      'Links in content that use the old name mean this tag until another tag takes that name.',
    ],
    input: z.strictObject({ tagId: idText, name: tagName }),
    output: z.object({ tag: countedTag }),
    errors: ['TAG_NOT_FOUND', 'TAG_NAME_TAKEN'],
    transaction: 'write',
    keywords: 'change a label, new name of a label, relabel',
    example: { tagId: '{tagId}', name: 'former customer' },
  },
  delete_tag: {
    summary: 'Deletes a tag and removes it from every subscriber.',
    category: 'tags',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: [
      'Identify the tag by tagId or name; both are allowed only if they name the same one.',
      'A tag used by a segment, a SCHEDULED or SENDING campaign or an ACTIVE workflow is refused; the refusal names its users.',
      "No subscriber has the tag from then on. Each subscriber's history is updated in the background, without starting workflows.",
    ],
    input: z.strictObject({
      tagId: idText.optional(),
      name: z.string().trim().min(1).max(64).optional().describe('Compared without case'),
    }),
    output: z.object({ deleted: z.literal(true), tag, removedFrom: z.int() }),
    errors: ['TAG_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE', 'TAG_IN_USE'],
    transaction: 'own',
    keywords: 'get rid of a label, remove a category everywhere, drop, erase',
    example: { name: 'obsolete' },
  },
});
