import type { ServiceBus } from '#bus';
import { segmentTools } from '#contracts';
import type { Filter } from '#contracts';
import type { Sql } from '#database';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { FilterPlan } from '../filter/filter-plan.js';
import type { FilterEngine, WriteCondition } from '../filter/filter.engine.js';
import type { Turnstile } from '../filter/turnstile.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { cleanLine } from '../text/text.js';
import { inWords, UsageDirectory } from '../usage/usage.directory.js';
import { copyNames } from './segment.js';
import { SegmentRepository } from './segment.repository.js';
import type { Segment, StoredFilters } from './segment.repository.js';

interface Parts {
  /** Filters are looked up where the context works: alone, or in a transaction. */
  engineOf: (context: CallContext) => FilterEngine;
  bus: ServiceBus;
  counting: Turnstile;
}

export function implementSegmentTools(context: CallContext, { engineOf, bus, counting }: Parts) {
  const engine = engineOf(context);
  const segments = new SegmentRepository(context.manager);
  const answers = new SegmentAnswers({ sql: context.manager, engine, counting });

  /** What to do, in a transaction that no other change of segments runs beside. */
  const changing = <T>(caller: Caller, work: (inner: CallContext, segments: SegmentRepository) => Promise<T>) =>
    context.transaction(async (inner) => {
      const repository = new SegmentRepository(inner.manager);
      await repository.lockAll(caller.organizationId);
      return await work(inner, repository);
    });

  /** The filters again, where they are saved: what they name is held until the end. */
  const hold = (inner: CallContext, caller: Caller, filters: readonly Filter[], saving: FilterPlan) =>
    engineOf(inner).plan(caller, filters, { from: 'caller', saving });

  async function getUnused({ segmentId }: { segmentId: string }, caller: Caller): Promise<Segment> {
    const segment = await segments.get(caller.organizationId, segmentId);
    assertUnused(segment, await new UsageDirectory(context.manager, bus).list(caller, `segment:${segmentId}`));
    return segment;
  }

  return implement(
    segmentTools,
    {
      list_segments: ({ limit }, { organizationId }) => segments.list(organizationId, limit),

      get_segment: async ({ segmentId }, caller) =>
        answers.readable(await segments.get(caller.organizationId, segmentId), caller),

      create_segment: async (args, caller) => {
        const { organizationId, now } = caller;
        const name = cleanLine(args.name) ?? args.name;
        const plan = await engine.plan(caller, args.filters, { from: 'caller' });
        const where = await engine.conditionOf(caller, plan);
        const segment = await changing(caller, async (inner, repository) => {
          const held = await hold(inner, caller, args.filters, plan);
          await assertNameFree(repository, organizationId, name);
          return (await repository.insert(organizationId, { name, ...storedOf(held), now }))!;
        });
        return { ...one(segment), subscribersCount: await answers.count(caller, where) };
      },

      update_segment: async ({ segmentId, filters, ...args }, caller) => {
        const { organizationId, now } = caller;
        if (args.name === undefined && !filters) throw new ToolError('NOTHING_TO_CHANGE', {});
        const name = args.name && (cleanLine(args.name) ?? args.name);
        const before = await segments.get(organizationId, segmentId);
        const plan = filters && (await engine.plan(caller, filters, { from: 'caller' }));
        plan?.assertOutside(before);
        const segment = await changing(caller, async (inner, repository) => {
          const held = plan && (await hold(inner, caller, filters, plan));
          held?.assertOutside(before);
          if (name !== undefined) await assertNameFree(repository, organizationId, name, segmentId);
          return await repository.update(organizationId, segmentId, {
            name,
            stored: held ? storedOf(held) : null,
            now,
          });
        });
        return await answers.readable(segment, caller);
      },

      delete_segment: async (args, caller) => {
        const segment = await getUnused(args, caller);
        await changing(caller, async (_inner, repository) => {
          const users = await repository.listNaming(caller.organizationId, `segment:${segment.id}`);
          assertUnused(segment, inWords('segment', users));
          if (!(await repository.delete(caller.organizationId, segment.id))) {
            throw new ToolError('SEGMENT_NOT_FOUND', { id: segment.id });
          }
        });
        return { deleted: true as const };
      },

      duplicate_segment: async ({ segmentId, newName }, caller) => {
        const { organizationId, now } = caller;
        const copy = await changing(caller, async (_inner, repository) => {
          const original = await repository.get(organizationId, segmentId);
          const name = newName === undefined ? null : (cleanLine(newName) ?? newName);
          if (name !== null) await assertNameFree(repository, organizationId, name);
          for (const free of name === null ? copyNames(original.name) : [name]) {
            const made = await repository.insertCopy(organizationId, segmentId, { name: free, now });
            if (made) return made;
          }
          throw new Error('names of copies never end');
        });
        return await answers.readable(copy, caller);
      },
    },
    {
      delete_segment: async (args, caller) => {
        const { name } = await getUnused(args, caller);
        return {
          action: 'Delete the segment',
          message: `Deletes the segment "${name}" for good. Its subscribers stay as they are.`,
        };
      },
    },
  );
}

const one = (segment: Segment) => ({ segment, segmentId: segment.id });
const storedOf = (plan: FilterPlan): StoredFilters => ({ filters: plan.normalised(), targets: plan.references() });

/** Segments with the number of people in them. */
class SegmentAnswers {
  constructor(private readonly parts: { sql: Sql; engine: FilterEngine; counting: Turnstile }) {}

  count(caller: Caller, where: WriteCondition): Promise<number> {
    const { sql, counting } = this.parts;
    const selection = { status: null, tagId: null, query: null, where };
    return counting.pass(caller, () => new SubscriberViewRepository(sql).count(caller.organizationId, selection));
  }

  /** A segment that names something gone can still be read, so that it can be mended. */
  async readable(segment: Segment, caller: Caller) {
    try {
      const where = await this.parts.engine.condition(caller, segment.filters, { from: 'store' });
      return { ...one(segment), subscribersCount: await this.count(caller, where) };
    } catch (error) {
      if (!(error instanceof ToolError) || error.reason !== 'FILTER_TARGET_GONE') throw error;
      return { ...one(segment), subscribersCount: null, warnings: [error.message] };
    }
  }
}

function assertUnused({ name }: Segment, users: readonly string[]): void {
  if (users.length > 0) throw new ToolError('SEGMENT_IN_USE', { name, users });
}

async function assertNameFree(
  segments: SegmentRepository,
  organizationId: string,
  name: string,
  exceptId?: string,
): Promise<void> {
  const taken = await segments.findByName(organizationId, name);
  if (taken && taken.id !== exceptId)
    throw new ToolError('SEGMENT_NAME_TAKEN', { name: taken.name, segmentId: taken.id });
}
