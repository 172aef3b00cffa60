import { z } from 'zod';
import { idText, tagName } from '../common.js';
import { defineTools } from '../define.js';

const input = z.strictObject({
  subscriberIds: z.array(idText).min(1).max(100),
  tagNames: z.array(tagName).min(1).max(20),
});
const counts = { subscribers: z.int().describe('Number of subscribers changed'), notFound: z.array(z.string()) };
const ids = 'Ids without a subscriber in the organization are returned in notFound; the other subscribers are updated.';

export const bulkTagTools = defineTools('subscriber', {
  bulk_add_tags: {
    summary: 'Adds tags to up to 100 subscribers and creates missing tags.',
    category: 'subscribers',
    scope: 'write',
    idempotent: true,
    rules: [ids, 'Only a tag that a subscriber did not have before produces a workflow trigger event.'],
    input,
    output: z.object({ added: z.int().describe('Pairs of subscriber and tag'), ...counts }),
    errors: [],
    transaction: 'write',
    core: true,
    keywords: 'label many people, several contacts at once, mass, put into a category, batch',
    example: { subscriberIds: ['{subscriberId}'], tagNames: ['customer'] },
  },
  bulk_remove_tags: {
    summary: 'Removes tags from up to 100 subscribers.',
    category: 'subscribers',
    scope: 'write',
    idempotent: true,
    rules: [
      ids,
      'Unknown tag names change nothing. Only a tag that a subscriber had produces a workflow trigger event.',
    ],
    input,
    output: z.object({ removed: z.int().describe('Pairs of subscriber and tag'), ...counts }),
    errors: [],
    transaction: 'write',
    keywords: 'take a label off many people, strip, unlabel, several contacts at once, mass, batch',
    example: { subscriberIds: ['{subscriberId}'], tagNames: ['customer'] },
  },
});
