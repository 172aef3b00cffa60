import { segmentTools } from '#contracts';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import type { FilterEngine } from '../filter/filter.engine.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { cleanLine } from '../text/text.js';
import { SegmentRepository } from './segment.repository.js';

/** @param engineOf filters are looked up where the context works: alone, or in a transaction */
export const implementSegmentTools = (context: CallContext, engineOf: (context: CallContext) => FilterEngine) =>
  implement(segmentTools, {
    create_segment: async (args, caller) => {
      const { organizationId, now } = caller;
      const name = cleanLine(args.name) ?? args.name;
      const where = await engineOf(context).condition(caller, args.filters, { from: 'caller' });
      const segment = await context.transaction(async (inner) => {
        const plan = await engineOf(inner).plan(organizationId, args.filters, { from: 'caller', lock: true });
        const segments = new SegmentRepository(inner.manager);
        const [filters, targets] = [plan.normalised(), plan.references()];
        const made = await segments.insert(organizationId, { name, filters, targets, now });
        if (made) return made;
        const taken = (await segments.findByName(organizationId, name))!;
        throw new ToolError('SEGMENT_NAME_TAKEN', { name: taken.name, segmentId: taken.id });
      });
      const selection = { status: null, tagId: null, query: null, where };
      const subscribersCount = await new SubscriberViewRepository(context.manager).count(organizationId, selection);
      return { segment, segmentId: segment.id, subscribersCount };
    },
  });
