import { z } from 'zod';
import {
  filters,
  idText,
  nextCursor,
  pageSize,
  subscriberStatus,
  subscriberStatuses,
  tagReference,
} from '../common.js';
import { defineTools } from '../define.js';
import { subscriber } from './subscriber.js';

const summaryFields = ['id', 'email', 'name', 'status', 'createdAt', 'tags'] as const;
const subscriberSummary = subscriber.pick({
  id: true,
  email: true,
  name: true,
  status: true,
  createdAt: true,
  tags: true,
});
const status = z.enum([...subscriberStatuses, 'ALL']).default('ALL');
const query = z.string().max(255).optional().describe('Substring of email, name or tag name, without case');
const page = {
  /** Exact where a status or a tag alone narrows; else counted to 10,000. */
  total: z.int(),
  totalIsMinimum: z.literal(true).optional(),
  limit: z.int(),
  nextCursor,
};
const byCursor = 'The cursor is the id of the last subscriber of the previous page (nextCursor).';

export const subscriberQueryTools = defineTools('subscriber', {
  list_subscribers: {
    summary: 'Lists subscribers with email, name, status and tags, most recently created first.',
    category: 'subscribers',
    scope: 'read',
    rules: [byCursor],
    input: z.strictObject({
      limit: pageSize(100, 50),
      status: z.enum(['all', ...subscriberStatuses]).default('all'),
      tag: z.string().trim().min(1).max(64).optional().describe('A tag name, compared without case'),
      query,
      cursor: idText.optional(),
    }),
    output: z.object({ subscribers: z.array(subscriberSummary), ...page }),
    errors: ['TAG_NOT_FOUND'],
    transaction: 'read',
    keywords: 'show everyone, all contacts, mailing list, browse, members, page through, address book',
    example: { limit: 10 },
  },
  query_subscribers: {
    summary:
      'Lists the subscribers that match filters, a status and a free text, with the requested fields, newest first.',
    category: 'subscribers',
    scope: 'read',
    rules: [byCursor, 'get_available_filters lists the available filters, which are combined with AND.'],
    input: z.strictObject({
      filters: filters.default([]),
      status,
      query,
      limit: pageSize(100, 50),
      cursor: idText.optional(),
      fields: z
        .array(z.enum(subscriber.keyof().options))
        .min(1)
        .max(100)
        .default([...summaryFields]),
    }),
    output: z.object({ subscribers: z.array(subscriber.partial()), ...page }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE'],
    transaction: 'read',
    core: true,
    keywords:
      'find people who, search contacts by condition, look for, opened, clicked, bought, live in, spent, inactive',
    example: {
      filters: [{ type: 'STRING', field: 'email', operator: 'ENDS_WITH', value: '@example.com' }],
      fields: ['email', 'tags', 'openCount'],
    },
  },
  count_subscribers: {
    summary: 'Counts the subscribers that match filters, a status and a free text. The count is always exact.',
    category: 'subscribers',
    scope: 'read',
    input: z.strictObject({ filters: filters.default([]), status, query }),
    output: z.object({ total: z.int() }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE'],
    transaction: 'read',
    core: true,
    keywords: 'how many people, how big, size of an audience, number of contacts matching, reach',
    example: { filters: [{ type: 'STRING', field: 'email', operator: 'ENDS_WITH', value: '@example.com' }] },
  },
  count_subscribers_by_status: {
    summary: 'Counts the subscribers of each status, or of one.',
    category: 'subscribers',
    scope: 'read',
    input: z.strictObject({
      status: z.enum(['SUBSCRIBED', 'UNSUBSCRIBED', 'BOUNCED', 'BANNED', 'COMPLAINED']).optional(),
    }),
    output: z.object({ counts: z.partialRecord(subscriberStatus, z.int()), total: z.int() }),
    errors: [],
    transaction: 'read',
    keywords: 'how many active, opted out, bounced, unsubscribed, breakdown of the list by state',
    example: {},
  },
  get_subscribers_by_tag: {
    summary: 'Returns the newest subscribers with a tag, and the number of subscribers that have it.',
    category: 'subscribers',
    scope: 'read',
    rules: [
      'Tag names are compared without case. To page through all subscribers with the tag, use list_subscribers with tag.',
    ],
    input: z.strictObject({ tagName: z.string().trim().min(1).max(64), limit: pageSize(1000, 10) }),
    output: z.object({ tag: tagReference, subscribers: z.array(subscriberSummary), total: z.int() }),
    errors: ['TAG_NOT_FOUND'],
    transaction: 'read',
    keywords: 'everyone with a label, who has the label, people labelled, members of a category',
    example: { tagName: 'customer' },
  },
});
