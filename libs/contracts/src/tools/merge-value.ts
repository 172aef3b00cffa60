import { z } from 'zod';
import { filters, idText } from '../common.js';
import { defineTools } from '../define.js';
import { mergeValues } from '../requests/subscriber.js';

export const mergeValueTools = defineTools('subscriber', {
  get_merge_values: {
    summary: "Returns the values that a subscriber's copy of a mail is rendered with.",
    category: 'subscribers',
    scope: 'read',
    rules: [
      'values holds email, name, firstName, phone and every custom field by name; null means no value.',
      'shows has one entry for each list of filters in showIf: whether the subscriber matches it.',
    ],
    input: z.strictObject({
      subscriberId: idText.describe('Subscriber id. Use get_subscriber to find it by email.'),
      showIf: z.array(filters).max(50).default([]).describe('The showIf lists of conditional blocks'),
    }),
    output: z.object({
      subscriberId: z.string(),
      email: z.string(),
      values: mergeValues,
      shows: z.array(z.boolean()),
    }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'],
    transaction: 'read',
    keywords: 'personalization values, placeholders of one person, preview as a person',
    example: {
      subscriberId: '{subscriberId}',
      showIf: [[{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }]],
    },
  },
});
