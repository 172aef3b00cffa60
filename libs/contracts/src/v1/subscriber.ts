import { z } from 'zod';
import { idText, nextCursor, pageSize, tagName, tagReference, timestamp, warnings } from '../common.js';
import type { Data } from '../define.js';
import { subscriberEventRequests } from '../requests/subscriber-event.js';
import { subscriberLifeRequests } from '../requests/subscriber-lifecycle.js';
import { bulkTagTools } from '../tools/bulk-tag.js';
import { subscriberQueryTools } from '../tools/subscriber-query.js';
import { subscriberTools } from '../tools/subscriber.js';
import { callsOf, composeEndpoint, defineEndpoint } from './define.js';
import type { V1Asks } from './define.js';
import { queryInstant, queryNumber, textList } from './query.js';

const tools = subscriberTools.calls;
const list = subscriberQueryTools.calls.list_subscribers;
const history = subscriberEventRequests.calls.list_history;

const who = z.object({ subscriber: idText.describe('The id or the address of a subscriber') });
/** v1 names a person in one text; an address has an @, and no id does. */
const named = (text: string) => (text.includes('@') ? { email: text } : { subscriberId: text });

const subscriber = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  phone: z.string().nullable(),
  status: tools.get_subscriber.output.shape.subscriber.shape.status,
  createdAt: timestamp,
  updatedAt: timestamp,
  fields: z.record(z.string(), z.string()),
  tags: z.array(tagReference),
});
const one = z.object({ subscriber, warnings: warnings.optional() });
const brief = subscriber.pick({ id: true, email: true, status: true });

type Known = Data<typeof tools.get_subscriber>['subscriber'];
const viewOf = ({ id, email, name, phone, status, createdAt, updatedAt, customFields, tags }: Known) => ({
  id,
  email,
  name,
  phone,
  status,
  createdAt,
  updatedAt,
  fields: customFields,
  tags,
});
const answerOf = ({ subscriber: known, warnings: said }: { subscriber: Known; warnings?: string[] | undefined }) => ({
  subscriber: viewOf(known),
  ...(said && said.length > 0 && { warnings: said }),
});

const tagNames = textList(z.array(tagName).min(1).max(20));
const found = async ({ ask }: V1Asks, text: string) =>
  (await ask(subscriberTools, 'get_subscriber', named(text))).subscriber;

export const subscriberEndpoints = [
  defineEndpoint(subscriberQueryTools, 'list_subscribers', {
    method: 'GET',
    path: '/subscribers',
    summary: 'Lists subscribers, newest first, by cursor.',
    scope: 'read',
    parameters: z.object({ ...list.input.shape, limit: queryNumber(pageSize(100, 50)) }),
    answer: list.output,
    toInput: (given) => given,
  }),
  defineEndpoint(subscriberTools, 'add_subscriber', {
    method: 'POST',
    path: '/subscribers',
    summary: 'Creates a subscriber, or updates the one with this address.',
    scope: 'write',
    parameters: z.object(tools.add_subscriber.input.shape),
    answer: one,
    toInput: (given) => given,
    toAnswer: answerOf,
  }),
  defineEndpoint(subscriberTools, 'get_subscriber', {
    method: 'GET',
    path: '/subscribers/:subscriber',
    summary: 'Returns a subscriber.',
    scope: 'read',
    parameters: who,
    answer: one,
    toInput: ({ subscriber: text }) => named(text),
    toAnswer: answerOf,
  }),
  defineEndpoint(subscriberTools, 'update_subscriber', {
    method: 'PATCH',
    path: '/subscribers/:subscriber',
    summary:
      'Updates the given fields of a subscriber; omitted fields keep their values. A new `email` changes the address.',
    scope: 'write',
    parameters: z.object({ ...tools.update_subscriber.input.shape, ...who.shape }),
    answer: one,
    toInput: (given) => given,
    toAnswer: answerOf,
  }),
  defineEndpoint(subscriberLifeRequests, 'delete_subscriber', {
    method: 'DELETE',
    path: '/subscribers/:subscriber',
    summary: 'Deletes a subscriber and all its data permanently.',
    scope: 'write',
    unasked: true,
    parameters: who,
    answer: z.object({ message: z.string() }),
    toInput: ({ subscriber: text }) => named(text),
    toAnswer: ({ email }) => ({ message: `${email} was deleted.` }),
  }),
  defineEndpoint(subscriberTools, 'unsubscribe', {
    method: 'POST',
    path: '/subscribers/:subscriber/unsubscribe',
    summary: 'Unsubscribes a subscriber; repeating the call changes nothing.',
    scope: 'write',
    parameters: who.extend(tools.unsubscribe.input.pick({ reason: true }).shape),
    answer: z.object({ message: z.string(), subscriber: brief }),
    toInput: ({ subscriber: text, reason }) => ({ ...named(text), reason }),
    toAnswer: ({ subscriber: known }) => ({ message: `${known.email} is unsubscribed.`, subscriber: known }),
  }),
  composeEndpoint([...callsOf(subscriberTools, 'get_subscriber'), ...callsOf(bulkTagTools, 'bulk_add_tags')], {
    method: 'POST',
    path: '/subscribers/:subscriber/tags',
    summary: 'Adds tags to a subscriber and creates missing tags. Tags that the subscriber already has are ignored.',
    scope: 'write',
    parameters: who.extend({ tags: tagNames }),
    answer: z.object({ added: z.int(), tags: z.array(tagReference) }),
    run: async ({ subscriber: text, tags }, asks) => {
      const { id } = await found(asks, text);
      const { added } = await asks.act(bulkTagTools, 'bulk_add_tags', { subscriberIds: [id], tagNames: tags });
      return { added, tags: (await found(asks, id)).tags };
    },
  }),
  composeEndpoint([...callsOf(subscriberTools, 'get_subscriber'), ...callsOf(bulkTagTools, 'bulk_remove_tags')], {
    method: 'DELETE',
    path: '/subscribers/:subscriber/tags',
    summary:
      'Removes tags, ignoring those the subscriber does not have. Accepts them in the body, or as a JSON array in the query.',
    scope: 'write',
    parameters: who.extend({ tags: tagNames }),
    answer: z.object({ removed: z.int(), tags: z.array(tagReference) }),
    run: async ({ subscriber: text, tags }, asks) => {
      const { id } = await found(asks, text);
      const { removed } = await asks.act(bulkTagTools, 'bulk_remove_tags', { subscriberIds: [id], tagNames: tags });
      return { removed, tags: (await found(asks, id)).tags };
    },
  }),
  defineEndpoint(subscriberEventRequests, 'list_history', {
    method: 'GET',
    path: '/subscribers/:subscriber/events',
    summary: "Lists a subscriber's history by page, newest first unless order is ASC.",
    scope: 'read',
    parameters: who.extend({
      ...history.input.shape,
      ...who.shape,
      eventTypes: textList(history.input.shape.eventTypes),
      take: queryNumber(pageSize(100, 20)),
      startDate: queryInstant(timestamp.optional()),
      endDate: queryInstant(timestamp.optional()),
    }),
    answer: z.object({ events: history.output.shape.events, nextCursor }),
    toInput: (given) => given,
  }),
  defineEndpoint(subscriberEventRequests, 'record_subscriber_event', {
    method: 'POST',
    path: '/events',
    summary: 'Records an event of a subscriber: a payment, a refund or a custom event. The event may start workflows.',
    scope: 'write',
    parameters: z.object(subscriberEventRequests.calls.record_subscriber_event.input.shape),
    answer: subscriberEventRequests.calls.record_subscriber_event.output,
    toInput: (given) => given,
  }),
];
