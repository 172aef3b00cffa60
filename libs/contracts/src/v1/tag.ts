import { z } from 'zod';
import { idText, tagName, tagReference } from '../common.js';
import { subscriberTagRequests } from '../requests/subscriber-tag.js';
import { tagTools } from '../tools/tag.js';
import { defineEndpoint } from './define.js';

const which = z.object({ tag: idText.describe('The id or the name of a tag') });
const one = subscriberTagRequests.calls.get_tag.output;

export const tagEndpoints = [
  defineEndpoint(tagTools, 'list_tags', {
    method: 'GET',
    path: '/tags',
    summary: 'Lists all tags by name, with the number of subscribers that have each.',
    scope: 'read',
    parameters: z.object({}),
    answer: tagTools.calls.list_tags.output,
    toInput: () => ({}),
  }),
  defineEndpoint(tagTools, 'get_or_create_tags', {
    method: 'POST',
    path: '/tags',
    summary: 'Creates a tag, or returns the existing tag of this name.',
    scope: 'write',
    parameters: z.object({ name: tagName }),
    answer: z.object({ tag: tagReference }),
    toInput: ({ name }) => ({ names: [name] }),
    toAnswer: ({ tags: [tag] }) => ({ tag: { id: tag!.id, name: tag!.name } }),
  }),
  defineEndpoint(subscriberTagRequests, 'get_tag', {
    method: 'GET',
    path: '/tags/:tag',
    summary: 'Returns a tag by its id or name.',
    scope: 'read',
    parameters: which,
    answer: one,
    toInput: (given) => given,
  }),
  defineEndpoint(subscriberTagRequests, 'rename_tag', {
    method: 'PATCH',
    path: '/tags/:tag',
    summary: 'Renames a tag; its subscribers keep it.',
    scope: 'write',
    parameters: which.extend({ name: tagName }),
    answer: one,
    toInput: (given) => given,
  }),
];
