import type { DomainEvent, MissedStart } from '#contracts';
import { Outbox } from '#events';
import type { ConsumerContext, EventHandler, EventHandlers } from '#events';
import type { LateEvents } from '#service-host';
import { EnrolmentRepository } from '../store/enrolment.repository.js';
import type { StartRequest } from '../store/enrolment.repository.js';
import { StepCounterRepository } from '../store/step-counter.repository.js';
import type { WakeSignals } from '../loop/wake-signals.js';
import { groupBy } from '../../rules/group-by.js';
import { toTriggerEvent, lookupKeysOf } from '../../rules/trigger-event.js';
import type { TriggerEvent, ObservedEvent } from '../../rules/trigger-event.js';
import { checkAfter, handleTriggerEvent, startsOf } from '../../rules/handle-event.js';
import { isOpen } from '../../rules/run.js';
import type { Run, Transition } from '../../rules/run.js';
import { RunTransitionRepository } from '../store/run-transition.repository.js';
import { RunRepository } from '../store/run.repository.js';
import { VersionRepository } from '../store/version.repository.js';
import { recipientsOf, settledTriggerEvents, settledTypes } from './settled-trigger-events.service.js';
import type { SettledEvent } from './settled-trigger-events.service.js';
import type { VersionCache } from './version-cache.service.js';

interface Dependencies {
  versions: VersionCache;
  wakeSignals: WakeSignals;
}

/** Handles the events of other services that concern workflows, in the order of their lane. */
export function watchHandlers(parts: Dependencies): EventHandlers {
  const hear = (events: ObservedEvent[], context: ConsumerContext) => new Listener(parts, context).hear(events);
  return {
    'subscriber.subscribed': hear,
    'subscriber.unsubscribed': hear,
    'subscriber.deleted': erasing(hear),
    'tag.added': hear,
    'tag.removed': hear,
    'field.updated': hear,
    'event.recorded': hear,
    'messages.settled': (events, context) => new Listener(parts, context).hearSettled(events),
    'message.sent': hear,
    'message.delivered': hear,
    'message.bounced': hear,
    'message.complained': hear,
    'message.delayed': hear,
    'message.opened': hear,
    'message.clicked': hear,
  };
}

const observedNames: Record<ObservedEvent['name'], true> = {
  'subscriber.subscribed': true,
  'subscriber.unsubscribed': true,
  'subscriber.deleted': true,
  'tag.added': true,
  'tag.removed': true,
  'field.updated': true,
  'event.recorded': true,
  'message.sent': true,
  'message.delivered': true,
  'message.bounced': true,
  'message.complained': true,
  'message.delayed': true,
  'message.opened': true,
  'message.clicked': true,
};

const erasing =
  (hear: (events: ObservedEvent[], context: ConsumerContext) => Promise<void>): EventHandler<'subscriber.deleted'> =>
  async (events, context) => {
    await hear(events, context);
    const people = events.map(({ organizationId, data: { subscriberId } }) => ({ organizationId, subscriberId }));
    await new RunRepository(context.manager).eraseAddresses(people);
  };

const isObserved = (event: DomainEvent): event is ObservedEvent => event.name in observedNames;

/**
 * Handles events that were missed and are repaired, perhaps days later: counts the mail of steps, and ends runs of deleted
 * and of unsubscribed subscribers. They start no workflow and move no run, since either would happen at the wrong time.
 */
export function lateWatchHandlers(parts: Dependencies): LateEvents {
  const hear = (events: ObservedEvent[], context: ConsumerContext) => new Listener(parts, context).hearLate(events);
  const names = Object.keys(observedNames) as ObservedEvent['name'][];
  return {
    handlers: {
      ...Object.fromEntries(names.map((name) => [name, hear])),
      'subscriber.deleted': erasing(hear),
    },
    listStarts: (events, manager) => {
      const context = { manager, outbox: new Outbox('workflow'), lane: 0 };
      return new Listener(parts, context).listStarts(events);
    },
  };
}

/** Locks the open runs of all subscribers of the events, in the order in which the engine locks runs. */
export async function lockRuns(events: readonly DomainEvent[], manager: ConsumerContext['manager']): Promise<void> {
  const publishers = await new VersionRepository(manager).listPublishers(
    events.map(({ organizationId }) => organizationId),
  );
  const people = events
    .filter(({ organizationId }) => publishers.has(organizationId))
    .flatMap((event) =>
      subscribersOf(event).map((subscriberId) => ({ organizationId: event.organizationId, subscriberId })),
    );
  if (people.length === 0) return;
  await new RunRepository(manager).lockOpen(
    people.map(({ organizationId }) => organizationId),
    people.map(({ subscriberId }) => subscriberId),
  );
}

function subscribersOf(event: DomainEvent): string[] {
  if (event.name === 'messages.settled') return recipientsOf(event);
  const triggerEvent = isObserved(event) ? toTriggerEvent(event) : null;
  return triggerEvent ? [triggerEvent.subscriberId] : [];
}

class Listener {
  readonly #runs: RunRepository;

  constructor(
    private readonly parts: Dependencies,
    private readonly context: ConsumerContext,
  ) {
    this.#runs = new RunRepository(context.manager);
  }

  async hear(heard: readonly ObservedEvent[]): Promise<void> {
    const events = await this.#ofPublishers(heard);
    if (events.length === 0) return;
    await new StepCounterRepository(this.context.manager).countMail(events);
    const triggerEvents = events.flatMap((event) => toTriggerEvent(event) ?? []);
    if (triggerEvents.length === 0) return;
    await this.#handle(triggerEvents, await this.#lockOpen(triggerEvents));
  }

  /** Only endings that do not depend on when the event is applied, of runs that were open when it happened. */
  async hearLate(heard: readonly ObservedEvent[]): Promise<void> {
    const events = await this.#ofPublishers(heard);
    if (events.length === 0) return;
    await new StepCounterRepository(this.context.manager).countMail(events);
    const endings = events.flatMap((event) => {
      const triggerEvent = lateEndings.has(event.name) ? toTriggerEvent(event) : null;
      return triggerEvent ? [{ ...triggerEvent, starts: false }] : [];
    });
    // All at once first, in order: one by one they could wait for a transaction that waits for them.
    if (endings.length > 1) await this.#lockOpen(endings);
    for (const ending of endings) {
      const open = await this.#lockOpen([ending]);
      const before = open.filter(({ startedAt }) => startedAt <= ending.at);
      await this.#handle([ending], before);
    }
  }

  /** Lists what events would have started, in their order; reads only. */
  async listStarts(heard: readonly DomainEvent[]): Promise<MissedStart[]> {
    const events = await this.#ofPublishers(heard);
    const starting = await this.#listSettledStarters(events);
    const triggerEvents = events.flatMap((event) => {
      if (event.name === 'messages.settled')
        return starting.has(event.organizationId) ? settledTriggerEvents(event, () => true) : [];
      return isObserved(event) ? (toTriggerEvent(event) ?? []) : [];
    });
    const starts = new Map<string, MissedStart>();
    for (const { request, triggerEvent } of await this.#matches(triggerEvents)) {
      const { organizationId, subscriberId, eventType: event, id, at } = triggerEvent;
      const { workflowId } = request;
      starts.set(`${id} ${workflowId}`, { organizationId, workflowId, subscriberId, event, at: at.toISOString() });
    }
    return [...starts.values()];
  }

  /** Reads the recipients only where the organization has workflows, and handles those that a workflow waits for. */
  async hearSettled(heard: readonly SettledEvent[]): Promise<void> {
    const events = await this.#ofPublishers(heard);
    if (events.length === 0) return;
    const starting = await this.#listSettledStarters(events);
    const open = await this.#lockOpen(
      events.flatMap((event) =>
        recipientsOf(event).map((subscriberId) => ({ organizationId: event.organizationId, subscriberId })),
      ),
    );
    const running = new Set(open.map(personOf));
    const triggerEvents = events.flatMap((event) => {
      const { organizationId } = event;
      const concerns = (subscriberId: string) =>
        starting.has(organizationId) || running.has(personOf({ organizationId, subscriberId }));
      return settledTriggerEvents(event, concerns);
    });
    if (triggerEvents.length > 0) await this.#handle(triggerEvents, open);
  }

  /** The organizations in which a trigger names the events that groups of settled messages stand for. */
  async #listSettledStarters(events: readonly { organizationId: string }[]): Promise<Set<string>> {
    const organizations = [...new Set(events.map(({ organizationId }) => organizationId))];
    const lookups = organizations.flatMap((organizationId) =>
      settledTypes.map((key) => ({ organizationId, kind: 'EVENT', key })),
    );
    const triggers = await new EnrolmentRepository(this.context.manager).listTriggers(lookups);
    return new Set(triggers.map(({ organizationId }) => organizationId));
  }

  async #ofPublishers<E extends { organizationId: string }>(heard: readonly E[]): Promise<E[]> {
    const publishers = await new VersionRepository(this.context.manager).listPublishers(
      heard.map(({ organizationId }) => organizationId),
    );
    return heard.filter(({ organizationId }) => publishers.has(organizationId));
  }

  async #lockOpen(people: readonly Pick<TriggerEvent, 'organizationId' | 'subscriberId'>[]): Promise<Run[]> {
    return await this.#runs.lockOpen(
      people.map(({ organizationId }) => organizationId),
      people.map(({ subscriberId }) => subscriberId),
    );
  }

  /** @param open the open runs of the subscribers, locked */
  async #handle(triggerEvents: readonly TriggerEvent[], open: readonly Run[]): Promise<void> {
    const runs = new Map(
      [...groupBy(open, personOf)].map(([person, theirs]) => [person, new Map(theirs.map((run) => [run.id, run]))]),
    );
    const starts = await this.#starts(triggerEvents);
    const now = runs.size > 0 ? await this.#runs.getNow() : new Date(0);
    for (const triggerEvent of triggerEvents)
      await this.#handleEvent(triggerEvent, runs.get(personOf(triggerEvent)) ?? new Map(), now);
    await new EnrolmentRepository(this.context.manager).insertRequests(starts);
    if (starts.length > 0) this.parts.wakeSignals.wake('starts');
    if (runs.size > 0) this.parts.wakeSignals.wake('runs', 'checks');
  }

  /** Returns the enrolment requests of trigger events; each event starts a workflow at most once. */
  async #starts(triggerEvents: readonly TriggerEvent[]): Promise<Omit<StartRequest, 'seq'>[]> {
    return (await this.#matches(triggerEvents)).map(({ request }) => request);
  }

  async #matches(
    triggerEvents: readonly TriggerEvent[],
  ): Promise<{ triggerEvent: TriggerEvent; request: Omit<StartRequest, 'seq'> }[]> {
    const starting = triggerEvents.filter(({ starts }) => starts);
    if (starting.length === 0) return [];
    const lookups = starting.flatMap((triggerEvent) =>
      lookupKeysOf(triggerEvent).map((key) => ({ organizationId: triggerEvent.organizationId, ...key })),
    );
    const triggers = await new EnrolmentRepository(this.context.manager).listTriggers(lookups);
    const matches: { triggerEvent: TriggerEvent; request: Omit<StartRequest, 'seq'> }[] = [];
    for (const triggerEvent of triggers.length > 0 ? starting : []) {
      const { organizationId, subscriberId, by, eventType } = triggerEvent;
      const keys = new Set(lookupKeysOf(triggerEvent).map(({ kind, key }) => `${kind} ${key}`));
      const found = triggers.filter(
        (trigger) =>
          trigger.organizationId === organizationId &&
          keys.has(`${trigger.kind} ${trigger.key}`) &&
          trigger.workflowId !== by,
      );
      for (const { workflowId, version } of new Map(found.map((trigger) => [trigger.workflowId, trigger])).values()) {
        const live = await this.parts.versions.get(this.context.manager, organizationId, { workflowId, version });
        for (const { stepId, filters, anyStatus } of startsOf(live, triggerEvent)) {
          const cause = `${eventType} ${triggerEvent.id}`;
          const request = { organizationId, subscriberId, workflowId, stepId, filters, anyStatus, cause };
          matches.push({ triggerEvent, request });
        }
      }
    }
    return matches;
  }

  /** @param runs the subscriber's open runs by id; updated to their state after the event */
  async #handleEvent(triggerEvent: TriggerEvent, runs: Map<string, Run>, now: Date): Promise<void> {
    const checks: { run: Run; met: string[] }[] = [];
    for (const run of [...runs.values()]) {
      const version = await this.parts.versions.get(this.context.manager, run.organizationId, run);
      const transition = handleTriggerEvent(run, version, { now, triggerEvent });
      const after = transition ? await this.#record(transition, now) : run;
      if (after === null) runs.delete(run.id);
      else {
        runs.set(run.id, after);
        const { met, isDue } = checkAfter(version, triggerEvent);
        if (isDue) checks.push({ run: after, met });
      }
    }
    await this.#runs.updateCheckDue(checks);
  }

  /** @returns the run after the transition; null when it has ended */
  async #record(transition: Transition, now: Date): Promise<Run | null> {
    const { manager: sql, outbox } = this.context;
    const [run] = await this.#runs.raiseFence([transition.run]);
    const { to, visit, goals } = transition;
    await new RunTransitionRepository({ sql, outbox }, now).record([{ ...transition, run: run! }]);
    if (to && !isOpen(to.state)) return null;
    return { ...run!, ...to, visit, ...(to && { arrival: visit }), goals: goals ?? run!.goals };
  }
}

/** Names of events that end runs whenever they are applied. */
const lateEndings: ReadonlySet<string> = new Set(['subscriber.deleted', 'subscriber.unsubscribed']);

const personOf = ({ organizationId, subscriberId }: Pick<Run, 'organizationId' | 'subscriberId'>): string =>
  `${organizationId} ${subscriberId}`;
