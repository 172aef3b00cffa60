import type { Filter } from '#contracts';
import type { CallContext } from '#service-host';
import { assertFresh, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { FilterPlan } from '../filter/filter-plan.js';
import type { FilterEngine } from '../filter/filter-engine.service.js';
import { inWords } from '../reference/reference.client.js';
import { copyNames } from './segment.js';
import { SegmentRepository } from './segment.repository.js';
import type { Segment, StoredFilters } from './segment.repository.js';

interface Dependencies {
  context: CallContext;
  /** Filters are looked up where the context works: alone, or in a transaction. */
  engineOf: (context: CallContext) => FilterEngine;
}

/** Changes segments, one change of an organization at a time: the checks of a change stay true until its end. */
export class SegmentService {
  constructor(private readonly parts: Dependencies) {}

  async create(
    name: string,
    filters: readonly Filter[],
    caller: Caller,
  ): Promise<{ segment: Segment; plan: FilterPlan }> {
    const plan = await this.#plan(filters, caller);
    const segment = await this.#changing(caller, async (segments, inner) => {
      const held = await this.#hold(inner, filters, plan, caller);
      await assertNameFree(segments, name, caller);
      return (await segments.insert(caller.organizationId, { name, ...storedOf(held) }))!;
    });
    return { segment, plan };
  }

  async update(
    segmentId: string,
    { name, filters }: { name: string | undefined; filters: readonly Filter[] | undefined },
    caller: Caller,
  ): Promise<Segment> {
    const { organizationId, now } = caller;
    const before = await new SegmentRepository(this.parts.context.manager).get(organizationId, segmentId);
    const plan = filters && (await this.#plan(filters, caller));
    return await this.#changing(caller, async (segments, inner) => {
      assertFresh(caller.ifMatch, (await segments.get(organizationId, segmentId)).updatedAt);
      const held = plan && (await this.#hold(inner, filters, plan, caller));
      held?.assertOutside(before);
      if (name !== undefined) await assertNameFree(segments, name, caller, segmentId);
      return await segments.update(organizationId, segmentId, { name, stored: held ? storedOf(held) : null, now });
    });
  }

  /** @param name null: the first free one after the original's */
  async duplicate(segmentId: string, name: string | null, caller: Caller): Promise<Segment> {
    const { organizationId } = caller;
    return await this.#changing(caller, async (segments) => {
      const original = await segments.get(organizationId, segmentId);
      if (name !== null) await assertNameFree(segments, name, caller);
      for (const free of name === null ? copyNames(original.name) : [name]) {
        const copy = await segments.insertCopy(organizationId, segmentId, free);
        if (copy) return copy;
      }
      throw new Error('names of copies never end');
    });
  }

  async delete(segment: Segment, caller: Caller): Promise<void> {
    await this.#changing(caller, async (segments) => {
      assertFresh(caller.ifMatch, (await segments.get(caller.organizationId, segment.id)).updatedAt);
      const users = await segments.listNaming(caller.organizationId, `segment:${segment.id}`);
      assertUnused(segment, inWords('segment', users));
      if (await segments.delete(caller.organizationId, segment.id)) return;
      throw new ToolError('SEGMENT_NOT_FOUND', { id: segment.id });
    });
  }

  #changing<T>(caller: Caller, work: (segments: SegmentRepository, inner: CallContext) => Promise<T>): Promise<T> {
    return this.parts.context.transaction(async (inner) => {
      const segments = new SegmentRepository(inner.manager);
      await segments.lockAll(caller.organizationId);
      return await work(segments, inner);
    });
  }

  #plan(filters: readonly Filter[], caller: Caller): Promise<FilterPlan> {
    return this.parts.engineOf(this.parts.context).plan(caller, filters, { from: 'caller' });
  }

  /** Plans the filters again inside the saving transaction, which locks the records that they name until its end. */
  async #hold(inner: CallContext, filters: readonly Filter[], saving: FilterPlan, caller: Caller): Promise<FilterPlan> {
    const held = await this.parts.engineOf(inner).plan(caller, filters, { from: 'caller', saving });
    held.condition({ params: [], now: caller.now, zone: 'UTC' });
    return held;
  }
}

export function assertUnused({ name }: Segment, users: readonly string[]): void {
  if (users.length > 0) throw new ToolError('SEGMENT_IN_USE', { name, users });
}

const storedOf = (plan: FilterPlan): StoredFilters => ({ filters: plan.normalised(), targets: plan.references() });

async function assertNameFree(
  segments: SegmentRepository,
  name: string,
  { organizationId }: Caller,
  exceptId?: string,
): Promise<void> {
  const taken = await segments.findByName(organizationId, name);
  if (taken && taken.id !== exceptId)
    throw new ToolError('SEGMENT_NAME_TAKEN', { name: taken.name, segmentId: taken.id });
}
