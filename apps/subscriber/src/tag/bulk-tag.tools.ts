import { bulkTagTools } from '#contracts';
import type { CallContext } from '#service-host';
import { implement } from '#tool-call';
import type { Caller } from '#tool-call';
import { TagService } from './tag.service.js';

export function implementBulkTagTools({ manager, outbox }: CallContext) {
  const change = (ids: string[], tags: { add: string[]; remove: string[] }, caller: Caller) => {
    const { organizationId, now, requestId } = caller;
    const cause = { kind: 'tool' as const, id: requestId };
    const options = { organizationId, now, cause, triggerWorkflows: true };
    return new TagService(manager, outbox).change(ids, tags, options);
  };
  return implement(bulkTagTools, {
    bulk_add_tags: async ({ subscriberIds, tagNames }, caller) => {
      const { removed: _, ...done } = await change(subscriberIds, { add: tagNames, remove: [] }, caller);
      return done;
    },

    bulk_remove_tags: async ({ subscriberIds, tagNames }, caller) => {
      const { added: _, ...done } = await change(subscriberIds, { add: [], remove: tagNames }, caller);
      return done;
    },
  });
}
