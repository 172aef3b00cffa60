import { z } from 'zod';
import { filters, timestamp } from '../common.js';
import { defineTools } from '../define.js';

export const segment = z.object({
  id: z.string(),
  name: z.string(),
  filters,
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const segmentTools = defineTools('subscriber', {
  create_segment: {
    summary: 'Saves a set of filters under a name; filters are combined with AND.',
    category: 'segments',
    scope: 'write',
    rules: ['Segment names are unique without case.'],
    input: z.strictObject({ name: z.string().trim().min(1).max(255), filters: filters.default([]) }),
    output: z.object({ segment, segmentId: z.string(), subscribersCount: z.int() }),
    errors: ['SEGMENT_NAME_TAKEN', 'FILTERS_INVALID', 'FILTER_TARGET_GONE'],
    transaction: 'own',
    example: {
      name: 'Customers',
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }],
    },
  },
});
