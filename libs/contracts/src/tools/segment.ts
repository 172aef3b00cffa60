import { z } from 'zod';
import { filters, idText, pageSize, timestamp, warnings } from '../common.js';
import { defineTools } from '../define.js';

export const segment = z.object({
  id: z.string(),
  name: z.string(),
  filters,
  createdAt: timestamp,
  updatedAt: timestamp,
});

const segmentName = z.string().trim().min(1).max(255);
const byId = { segmentId: idText };
const counted = z.object({ segment, segmentId: z.string(), subscribersCount: z.int() });
/**
 * The count is null, and a warning says why, when the filters name something that no longer exists, or come to too many
 * conditions since the segments that they include have grown.
 */
const readable = counted.extend({ subscribersCount: z.int().nullable(), warnings: warnings.optional() });

export const segmentTools = defineTools('subscriber', {
  list_segments: {
    summary: 'Lists segments with their filters, newest first.',
    category: 'segments',
    scope: 'read',
    input: z.strictObject({ limit: pageSize(1000, 20) }),
    output: z.object({ segments: z.array(segment), total: z.int() }),
    errors: [],
    transaction: 'read',
    core: true,
    keywords: 'saved audiences, groups of people, show, which, what exist, target groups, dynamic lists',
    example: { limit: 10 },
  },
  get_segment: {
    summary: 'Returns a segment with its filters and the number of subscribers that match now.',
    category: 'segments',
    scope: 'read',
    input: z.strictObject(byId),
    output: readable,
    errors: ['SEGMENT_NOT_FOUND'],
    transaction: 'read',
    keywords: 'rules of a saved audience, how defined, who is in, size now, show one, target group',
    example: { segmentId: '{segmentId}' },
  },
  create_segment: {
    summary: 'Creates a segment from a name and filters, which are combined with AND.',
    category: 'segments',
    scope: 'write',
    rules: ['Segment names are unique, ignoring case.', 'get_available_filters lists the available filters.'],
    input: z.strictObject({ name: segmentName, filters: filters.default([]) }),
    output: counted,
    errors: ['SEGMENT_NAME_TAKEN', 'FILTERS_INVALID', 'FILTER_TARGET_GONE'],
    transaction: 'own',
    core: true,
    keywords: 'save an audience, define a group by conditions, target group, dynamic list, new audience, keep a search',
    example: {
      name: 'Customers',
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }],
    },
  },
  update_segment: {
    summary: 'Updates the name or the filters of a segment; filters are replaced as a whole.',
    category: 'segments',
    scope: 'write',
    locks: true,
    rules: [
      'Segments, campaigns and workflows that use the segment follow the new filters.',
      'A segment cannot contain itself, directly or through others.',
    ],
    input: z.strictObject({ ...byId, name: segmentName.optional(), filters: filters.optional() }),
    output: readable,
    errors: [
      'SEGMENT_NOT_FOUND',
      'SEGMENT_NAME_TAKEN',
      'NOTHING_TO_CHANGE',
      'FILTERS_INVALID',
      'FILTER_TARGET_GONE',
      'SEGMENT_CYCLE',
    ],
    transaction: 'own',
    keywords: 'change the rules of a saved audience, rename, adjust, edit a target group',
    example: { segmentId: '{segmentId}', name: 'Friends of the house' },
  },
  delete_segment: {
    summary: 'Deletes a segment permanently. Its subscribers do not change.',
    category: 'segments',
    scope: 'write',
    locks: true,
    confirm: true,
    destructive: true,
    rules: ['Refused while another segment, a SCHEDULED or SENDING campaign or an ACTIVE workflow uses it.'],
    input: z.strictObject(byId),
    output: z.object({ deleted: z.literal(true) }),
    errors: ['SEGMENT_NOT_FOUND', 'SEGMENT_IN_USE'],
    transaction: 'own',
    keywords: 'remove a saved audience, drop a target group, get rid of, erase',
    example: { segmentId: '{spareSegmentId}' },
  },
  duplicate_segment: {
    summary: 'Copies a segment with all its filters.',
    category: 'segments',
    scope: 'write',
    rules: ['Without newName, the copy is named "<name> (copy)", with a number if that name exists.'],
    input: z.strictObject({ ...byId, newName: segmentName.optional() }),
    output: readable,
    errors: ['SEGMENT_NOT_FOUND', 'SEGMENT_NAME_TAKEN'],
    transaction: 'own',
    keywords: 'copy a saved audience, clone, second one like this',
    example: { segmentId: '{segmentId}', newName: 'A copy' },
  },
});
