import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import { eventRepairRequests } from '#contracts';
import type { DomainEvent, EventName, Service } from '#contracts';
import {
  applyBatches,
  EventGapRepository,
  eventsOf,
  isTransient,
  LaneLeaseRepository,
  OutboxRepository,
} from '#events';
import type { ApplierOptions, EventHandler, EventHandlers, MissedBatch } from '#events';
import { implement } from '#tool-call';
import type { ImplementationFactory } from './call-context.js';
import { replayLane } from './dead-letter.requests.js';
import type { ServiceDependencies, ServicePlan } from './service-plan.js';

/** Of the events of one part: a message may have 8 MB, and a part is one transaction. */
const bytesMax = 1_000_000;
const requestMs = 30_000;

interface Page {
  source: string;
  after: string | null;
  from: string | null;
}

/** Repairs what a service missed from the outboxes of the services that published it. */
export const eventRepairFactory =
  (plan: ServicePlan, parts: ServiceDependencies): ImplementationFactory =>
  ({ manager }) => {
    const { service } = plan;
    const gaps = new EventGapRepository(manager);
    const readPart = async ({
      source,
      after,
      from,
    }: Page): Promise<{ batches: MissedBatch[]; next: string | null }> => {
      const missed = await gaps.listOpenOf(service, source);
      if (missed.length === 0) return { batches: [], next: null };
      const owner = parts.bus.client(eventRepairRequests(source as Service));
      const page = await owner.list_missed_batches({ missed, after, from }, serviceCaller('', randomUUID(), requestMs));
      return { batches: page.batches as unknown as MissedBatch[], next: page.next };
    };
    return implement(eventRepairRequests(service), {
      list_event_gaps: async ({ limit }) => ({
        gaps: (await gaps.list(limit)).map(({ consumer: _consumer, detectedAt, resolvedAt, ...gap }) => ({
          ...gap,
          detectedAt: detectedAt.toISOString(),
          resolvedAt: resolvedAt?.toISOString() ?? null,
        })),
      }),

      get_applied_numbers: async ({ source }) => ({
        hasGaps: (await gaps.countOpen()) > 0,
        lanes: await new LaneLeaseRepository(manager).listNumbers(`consumer ${service}`, source),
      }),

      list_missed_batches: async ({ missed, after, from }) => {
        const at = from === null ? null : new Date(from);
        const page = await new OutboxRepository(manager).listMissed(missed, { after, from: at, bytesMax });
        return { ...page, batches: page.batches.map((batch) => ({ ...batch, events: batch.events.map(asRecord) })) };
      },

      apply_missed_events: async (page) => {
        const { batches, next } = await readPart(page);
        return { ...(await applyLate(plan, parts, batches)), found: numbersByLane(batches), next };
      },

      list_missed_starts: async (page) => {
        const late = plan.lateEvents?.(parts);
        if (!late) return { starts: [], next: null };
        const { batches, next } = await readPart(page);
        return { starts: await late.listStarts(eventsOf(batches), manager), next };
      },

      conclude_event_repair: async ({ source, gaps: repaired, isResolved }) => {
        for (const { missing, ...gap } of repaired)
          await gaps.updateRepaired({ consumer: service, source, ...gap }, { missing, isResolved });
        return { open: await gaps.countOpen() };
      },
    });
  };

const asRecord = (event: object): Record<string, unknown> => ({ ...event });

/**
 * Applies batches in one transaction; those that the inbox knows are skipped. If that fails, it applies the events one at a
 * time, and those that fail become dead letters.
 */
async function applyLate(
  plan: ServicePlan,
  parts: ServiceDependencies,
  batches: readonly MissedBatch[],
): Promise<{ applied: { event: string; count: number }[]; deadLetters: number }> {
  const handlers = plan.lateEvents?.(parts).handlers ?? plan.eventHandlers?.(parts) ?? {};
  const attempt = async (failures: number) => {
    const count = countingHandlers(handlers);
    const { service, concernedBy, lockForEvents } = plan;
    const { contexts, bus, dataSource, log } = parts;
    const committed: ApplierOptions['committed'] = (_wrote, updates) => {
      contexts.noteCommit();
      for (const update of updates) bus.live.publish(update);
    };
    const applier = { service, concernedBy, lockForEvents, dataSource, log, handlers: count.handlers, committed };
    await applyBatches(applier, batches, { failures, lane: replayLane, guard: () => Promise.resolve(true) });
    return count;
  };
  const count = await attempt(0).catch((error: unknown) => {
    if (isTransient(error)) throw error;
    return attempt(1);
  });
  return { applied: [...count.applied].map(([event, n]) => ({ event, count: n })), deadLetters: count.failed };
}

/** Handlers that count what they apply; a handler of several events stays one. */
function countingHandlers(handlers: EventHandlers) {
  const count = { handlers: {} as EventHandlers, applied: new Map<string, number>(), failed: 0 };
  const wrapped = new Map<EventHandler<EventName>, EventHandler<EventName>>();
  for (const [name, handle] of Object.entries(handlers) as [EventName, EventHandler<EventName>][]) {
    const counting =
      wrapped.get(handle) ??
      (async (events: DomainEvent[], context) => {
        try {
          await handle(events, context);
        } catch (error) {
          count.failed += events.length;
          throw error;
        }
        for (const event of events) count.applied.set(event.name, (count.applied.get(event.name) ?? 0) + 1);
      });
    wrapped.set(handle, counting);
    Object.assign(count.handlers, { [name]: counting });
  }
  return count;
}

function numbersByLane(batches: readonly MissedBatch[]): { lane: number; numbers: number[] }[] {
  const lanes = new Map<number, Set<number>>();
  for (const { lane, number } of batches) lanes.set(lane, (lanes.get(lane) ?? new Set()).add(number));
  return [...lanes].map(([lane, numbers]) => ({ lane, numbers: [...numbers] }));
}
