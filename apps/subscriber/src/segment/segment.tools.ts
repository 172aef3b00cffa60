import type { ServiceBus } from '#bus';
import { segmentTools } from '#contracts';
import type { Sql } from '#database';
import type { CallContext } from '#service-host';
import { assertFresh, implement, requestHash, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { FilterEngine, WriteCondition } from '../filter/filter-engine.service.js';
import type { CountSemaphore } from '../filter/count-semaphore.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { cleanLine } from '../text/text.js';
import { ReferenceClient } from '../reference/reference.client.js';
import { SegmentRepository } from './segment.repository.js';
import type { Segment } from './segment.repository.js';
import { assertUnused, SegmentService } from './segment.service.js';

interface Dependencies {
  engineOf: (context: CallContext) => FilterEngine;
  bus: ServiceBus;
  counting: CountSemaphore;
}

export function implementSegmentTools(context: CallContext, { engineOf, bus, counting }: Dependencies) {
  const engine = engineOf(context);
  const segments = new SegmentRepository(context.manager);
  const writer = new SegmentService({ context, engineOf });
  const answers = new SegmentAnswers({ sql: context.manager, engine, counting });

  async function getUnused({ segmentId }: { segmentId: string }, caller: Caller): Promise<Segment> {
    const segment = await segments.get(caller.organizationId, segmentId);
    assertUnused(segment, await new ReferenceClient(context.manager, bus).list(caller, `segment:${segmentId}`));
    return segment;
  }

  return implement(
    segmentTools,
    {
      list_segments: ({ limit }, { organizationId }) => segments.list(organizationId, limit),

      get_segment: async ({ segmentId }, caller) =>
        answers.readable(await segments.get(caller.organizationId, segmentId), caller),

      create_segment: async ({ name, filters }, caller) => {
        const { segment, plan } = await writer.create(cleanName(name), filters, caller);
        const subscribersCount = await answers.count(caller, await engine.conditionOf(caller, plan));
        return { ...one(segment), subscribersCount };
      },

      update_segment: async ({ segmentId, name, filters }, caller) => {
        if (name === undefined && !filters) throw new ToolError('NOTHING_TO_CHANGE', {});
        const change = { name: name === undefined ? undefined : cleanName(name), filters };
        return await answers.readable(await writer.update(segmentId, change, caller), caller);
      },

      delete_segment: async (args, caller) => {
        await writer.delete(await getUnused(args, caller), caller);
        return { deleted: true as const };
      },

      duplicate_segment: async ({ segmentId, newName }, caller) => {
        const name = newName === undefined ? null : cleanName(newName);
        return await answers.readable(await writer.duplicate(segmentId, name, caller), caller);
      },
    },
    {
      delete_segment: async (args, caller) => {
        const { id, name, filters, updatedAt } = await getUnused(args, caller);
        assertFresh(caller.ifMatch, updatedAt);
        return {
          action: 'Delete the segment',
          subject: { noun: 'segment', id, name, updatedAt },
          content: requestHash(name, filters),
          message: `Deletes the segment "${name}" permanently. Its subscribers stay as they are.`,
        };
      },
    },
  );
}

const cleanName = (name: string): string => cleanLine(name) ?? name;
const one = (segment: Segment) => ({ segment, segmentId: segment.id });

const unanswerable: ReadonlySet<string> = new Set(['FILTER_TARGET_GONE', 'FILTERS_INVALID', 'RECORDS_EXPIRED']);

class SegmentAnswers {
  constructor(private readonly parts: { sql: Sql; engine: FilterEngine; counting: CountSemaphore }) {}

  count(caller: Caller, where: WriteCondition): Promise<number> {
    const { sql, counting } = this.parts;
    const selection = { status: null, tagId: null, query: null, where };
    return counting.run(caller, () => new SubscriberViewRepository(sql).count(caller.organizationId, selection));
  }

  /** A segment that names a deleted record, or has grown too large, can still be read, so that it can be repaired. */
  async readable(segment: Segment, caller: Caller) {
    try {
      const { engine } = this.parts;
      const plan = await engine.plan(caller, segment.filters, { from: 'store' });
      const warnings = plan.warnings();
      const subscribersCount = await this.count(caller, await engine.conditionOf(caller, plan));
      return { ...one(segment), subscribersCount, ...(warnings.length > 0 && { warnings }) };
    } catch (error) {
      if (!(error instanceof ToolError) || !unanswerable.has(error.reason)) throw error;
      return { ...one(segment), subscribersCount: null, warnings: [error.message] };
    }
  }
}
