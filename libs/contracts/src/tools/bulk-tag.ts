import { z } from 'zod';
import { idText, tagName } from '../common.js';
import { defineTools } from '../define.js';

const input = z.strictObject({
  subscriberIds: z.array(idText).min(1).max(100),
  tagNames: z.array(tagName).min(1).max(20),
});
const counts = { subscribers: z.int().describe('How many were changed'), notFound: z.array(z.string()) };
const ids = 'Ids that are no subscriber of the organization are told in notFound; the others are changed.';

export const bulkTagTools = defineTools('subscriber', {
  bulk_add_tags: {
    summary: 'Adds tags to up to 100 subscribers; missing tags are created.',
    category: 'subscribers',
    scope: 'write',
    idempotent: true,
    rules: [ids, 'Workflows hear of each tag that somebody did not hold before, and of no other.'],
    input,
    output: z.object({ added: z.int().describe('Pairs of subscriber and tag'), ...counts }),
    errors: [],
    transaction: 'write',
    example: { subscriberIds: ['{subscriberId}'], tagNames: ['customer'] },
  },
  bulk_remove_tags: {
    summary: 'Takes tags from up to 100 subscribers.',
    category: 'subscribers',
    scope: 'write',
    idempotent: true,
    rules: [ids, 'Names of no tag change nothing. Workflows hear of each tag that somebody held.'],
    input,
    output: z.object({ removed: z.int().describe('Pairs of subscriber and tag'), ...counts }),
    errors: [],
    transaction: 'write',
    example: { subscriberIds: ['{subscriberId}'], tagNames: ['customer'] },
  },
});
