import type { DataSource, EntityManager } from 'typeorm';
import type { NewLiveUpdate } from '#bus';
import type { DomainEvent, EventName } from '#contracts';
import { newUuid } from '#database';
import { traced } from '#observability';
import type { Logger } from '#observability';
import { DeadLetterRepository } from './dead-letter.repository.js';
import { eventsOf, Outbox } from './outbox.js';
import type { EventBatch } from './outbox.js';
import { OutboxRepository } from './outbox.repository.js';
import { isTransient } from './transient.js';

export interface ConsumerContext {
  manager: EntityManager;
  outbox: Outbox;
  /** The lane the events came by; one process applies it at a time, so rows kept by lane have one writer. */
  lane: number;
}

/** Applies events that stood next to each other, in order: of one name, or of all names it is the handler of. */
export type EventHandler<N extends EventName> = (events: DomainEvent<N>[], context: ConsumerContext) => Promise<void>;
export type EventHandlers = { [N in EventName]?: EventHandler<N> };

/** Handlers of the same events as one, in the order given; those that were one handler of several events stay one. */
export function mergedHandlers(...all: readonly EventHandlers[]): EventHandlers {
  const merged = new Map<string, EventHandler<EventName>>();
  const result: Record<string, unknown> = {};
  for (const name of new Set(all.flatMap((handlers) => Object.keys(handlers))) as Set<EventName>) {
    const own = all.flatMap((handlers) => (handlers[name] as EventHandler<EventName> | undefined) ?? []);
    const key = own.map(numberOf).join();
    const handler =
      merged.get(key) ??
      (async (events, context) => {
        for (const handle of own) await handle(events, context);
      });
    merged.set(key, handler);
    result[name] = handler;
  }
  return result;
}

const numbers = new WeakMap<object, number>();
let handlersNumbered = 0;
function numberOf(handler: object): number {
  const number = numbers.get(handler) ?? (handlersNumbered += 1);
  numbers.set(handler, number);
  return number;
}

export interface ApplierOptions {
  service: string;
  dataSource: DataSource;
  handlers: EventHandlers;
  /** Whether an event that has a handler may change anything here; without this, each may. */
  concernedBy?: ((event: DomainEvent) => boolean) | undefined;
  /**
   * Locks, in one order, what the handlers of several names will change: each locks what its own events concern, so that
   * two transactions could wait for each other. Called with all events of a transaction before the first is handled, but
   * not where each is applied alone.
   */
  lockForEvents?: ((events: readonly DomainEvent[], manager: EntityManager) => Promise<void>) | undefined;
  log: Logger;
  /** Called after each commit; `wroteEvents`: whether the transaction wrote events; `updates`: what to publish now. */
  committed: (wroteEvents: boolean, updates: readonly NewLiveUpdate[]) => void;
}

/** Whether an envelope must be applied here; what changes nothing is not even noted as seen. */
function concerns({ handlers, concernedBy }: ApplierOptions, { events }: EventBatch): boolean {
  try {
    return events.some(
      (event) => [event, ...(event.also ?? [])].some(({ name }) => handlers[name]) && (concernedBy?.(event) ?? true),
    );
  } catch {
    // An event that cannot be looked at is put aside where it cannot be applied.
    return true;
  }
}

/**
 * Applies the event batches that concern the service and records them in the inbox, in one transaction; skips events
 * already recorded.
 * @param attempt `failures`: earlier failures of these batches. From the first on, events are applied one at a time
 * with a savepoint each, and a failing one becomes a dead letter. `guard`: unless it returns true inside the
 * transaction, nothing happens; `lane`: the lane of the batches
 * @returns the guard's result; true where it was not called
 */
export async function applyBatches(
  options: ApplierOptions,
  envelopes: readonly EventBatch[],
  attempt: { failures: number; guard: (manager: EntityManager) => Promise<boolean>; lane?: number },
): Promise<boolean> {
  const tenant = envelopes.filter((envelope) => concerns(options, envelope));
  if (tenant.length === 0) return true;
  const lane = attempt.lane ?? 0;
  let wrote = false;
  const updates: NewLiveUpdate[] = [];
  const applied = await options.dataSource.transaction(async (manager) => {
    if (!(await attempt.guard(manager))) return false;
    const events = await freshEvents(options, tenant, manager);
    if (attempt.failures > 0) {
      for (const event of events)
        updates.push(...(await applyAlone(options, event, { manager, lane, attempts: attempt.failures + 1 })));
      wrote = true;
      return true;
    }
    const outbox = new Outbox(options.service);
    const runs = runsOf(events, options.handlers);
    if (runs.length > 1) await options.lockForEvents?.(events, manager);
    for (const run of runs) await handle(options, run, { manager, outbox, lane });
    wrote = await outbox.flush(manager);
    updates.push(...outbox.updates);
    return true;
  });
  if (applied) options.committed(wrote, updates);
  return applied;
}

async function freshEvents(
  options: ApplierOptions,
  envelopes: readonly EventBatch[],
  manager: EntityManager,
): Promise<DomainEvent[]> {
  const unique = [...new Map(envelopes.map((envelope) => [envelope.outboxId, envelope])).values()];
  const fresh = await new OutboxRepository(manager).insertSeen(
    options.service,
    unique.map(({ outboxId }) => outboxId),
  );
  return eventsOf(unique.filter(({ outboxId }) => fresh.has(outboxId))).filter(({ name }) => options.handlers[name]);
}

async function handle(options: ApplierOptions, events: DomainEvent[], context: ConsumerContext): Promise<void> {
  const handler = options.handlers[events[0]!.name] as EventHandler<EventName> | undefined;
  if (!handler) return;
  const traces = [...new Set(events.flatMap(({ traceparent }) => traceparent ?? []))];
  if (traces.length === 0) return await handler(events, context);
  // What came of one call goes on with its trace; what came of several is a trace of its own that names them.
  const parent = traces.length === 1 ? traces[0] : 'root';
  const attributes = { 'messaging.system': 'nats', 'messaging.batch.message_count': events.length };
  const facts = { kind: 'consumer' as const, parent, attributes, links: traces.length === 1 ? [] : traces };
  await traced(`apply ${events[0]!.name}`, facts, () => handler(events, context));
}

async function applyAlone(
  options: ApplierOptions,
  event: DomainEvent,
  { manager, lane, attempts }: { manager: EntityManager; lane: number; attempts: number },
): Promise<NewLiveUpdate[]> {
  const outbox = new Outbox(options.service);
  await manager.query('savepoint one_event');
  try {
    await handle(options, [event], { manager, outbox, lane });
    await outbox.flush(manager);
    await manager.query('release savepoint one_event');
    return outbox.updates;
  } catch (error) {
    if (isTransient(error)) throw error;
    await manager.query('rollback to savepoint one_event');
    options.log.error({ err: error, event: event.id, name: event.name }, 'event put aside as a dead letter');
    await new DeadLetterRepository(manager).insert({
      id: newUuid(),
      consumer: options.service,
      event,
      error: String(error),
      attempts,
    });
    return [];
  }
}

/** A message's events have different names; a handler of several names gets them together. */
function runsOf(events: DomainEvent[], handlers: EventHandlers): DomainEvent[][] {
  const runs: DomainEvent[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run && handlers[run[0]!.name] === handlers[event.name]) run.push(event);
    else runs.push([event]);
  }
  return runs;
}
