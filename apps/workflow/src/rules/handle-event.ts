import type { Filter } from '#contracts';
import { TransitionBuilder } from './run-transition.js';
import { recheck } from './compiled-version.js';
import type { CompiledVersion, RunCondition } from './compiled-version.js';
import type { Run, Transition } from './run.js';
import { isAbout } from './trigger-event.js';
import type { TriggerEvent } from './trigger-event.js';

const dayMs = 86_400_000;

export interface HandledEvent {
  now: Date;
  isMet: (condition: RunCondition) => boolean;
  what: Record<string, unknown>;
  /** Reason that ends the run regardless of other conditions. */
  ends?: string | null;
}

/**
 * Applies a trigger event to an open run. Goals are counted. Then an exit ends the run, else it jumps to a GOAL step
 * downstream of its wait, else it leaves the WAIT_UNTIL step it waits at.
 * @returns null when no condition is met
 */
export function handleEvent(
  run: Run,
  version: CompiledVersion,
  { now, isMet, what, ends = null }: HandledEvent,
): Transition | null {
  const walk = new TransitionBuilder(run, version, now);
  const waits = run.state === 'WAITING';
  const concerned = version.watches.filter(({ at }) => at === undefined || (waits && at.has(run.stepId)));
  const met = concerned.filter((condition) => concerns(condition, run, now) && isMet(condition));
  const goals = met.filter(({ does }) => does === 'CONVERT').map(({ target }) => target);
  for (const goal of goals) walk.convert(goal);
  const reached = goals.length > 0 ? { goals: [...run.goals, ...goals] } : {};
  const first = (does: RunCondition['does']) => met.find((condition) => condition.does === does);
  const [exit, jump, match] = [first('EXIT'), first('JUMP'), first('MATCH')];
  if (ends !== null) walk.end('CANCELED', ends, what);
  else if (exit) walk.end('CANCELED', 'EXIT_RULE', { ...what, rule: Number(exit.target) });
  else if (jump) walk.jump(jump.target, what);
  else if (match) walk.leave('MATCHED', what, 'MATCHED');
  else if (goals.length === 0) return null;
  return { ...walk.transition(), ...reached };
}

/** Whether a goal may still count: once a run, and within its days. */
function concerns({ does, target, withinDays }: RunCondition, run: Run, now: Date): boolean {
  if (does !== 'CONVERT') return true;
  const late = withinDays !== undefined && now.getTime() - run.startedAt.getTime() > withinDays * dayMs;
  return !late && !run.goals.includes(target);
}

/**
 * Applies a trigger event to an open run by its conditions without filters. Those with filters are tested afterwards, as
 * `checkAfter` says.
 * @returns null when no condition is met
 */
export function handleTriggerEvent(
  run: Run,
  version: CompiledVersion,
  { now, triggerEvent }: { now: Date; triggerEvent: TriggerEvent },
): Transition | null {
  const isMet = ({ event, filters }: RunCondition) =>
    filters === undefined && !event?.filters?.length && event !== undefined && isAbout(event, triggerEvent);
  const { eventType, tagId, fieldId, campaignId } = triggerEvent;
  const what = {
    event: eventType,
    ...(tagId && { tagId }),
    ...(fieldId && { fieldId }),
    ...(campaignId && { campaignId }),
  };
  return handleEvent(run, version, { now, isMet, what, ends: endOf(triggerEvent, version) });
}

/**
 * Applies the filter conditions that a subscriber meets to an open run.
 * @param shows whether the subscriber meets the filters of a condition now
 * @param met keys of the conditions whose event has happened
 * @returns null when no condition is met
 */
export function handleFilters(
  run: Run,
  version: CompiledVersion,
  { now, shows, met }: { now: Date; shows: (condition: RunCondition) => boolean; met: readonly string[] },
): Transition | null {
  const isMet = (condition: RunCondition) =>
    shows(condition) && (condition.filters !== undefined || met.includes(condition.key));
  return handleEvent(run, version, { now, isMet, what: { by: 'FILTERS' } });
}

/** Returns the conditions with filters whose event has happened, and whether filters are to be tested after an event. */
export function checkAfter(version: CompiledVersion, triggerEvent: TriggerEvent): { met: string[]; isDue: boolean } {
  const met = version.filterWatches.filter(({ event }) => event && isAbout(event, triggerEvent)).map(({ key }) => key);
  if (triggerEvent.byOthers && version.learnsLate) met.push(recheck);
  return { met, isDue: met.length > 0 || version.filterWatches.some(({ filters }) => filters) };
}

export interface Start {
  stepId: string;
  /** Tested before the enrolment; null: there are none. */
  filters: Filter[] | null;
  anyStatus: boolean;
}

/** Returns the starts of an event, of which at most one enrols: the first whose filters are met. */
export function startsOf({ triggers }: CompiledVersion, triggerEvent: TriggerEvent): Start[] {
  const starts: Start[] = [];
  for (const { id: stepId, config } of triggers) {
    if (!isAbout(config, triggerEvent)) continue;
    const filters = config.filters?.length ? config.filters : null;
    starts.push({ stepId, filters, anyStatus: config.kind === 'UNSUBSCRIBED' });
    // Further triggers of the workflow matter only if this one has filters, which may not be met.
    if (filters === null) break;
  }
  return starts;
}

/**
 * Returns why an event ends runs regardless of their wait; null when it does not. An UNSUBSCRIBE step does not end runs
 * of its own workflow: the steps after it are intended.
 */
function endOf({ eventType, kind, by }: TriggerEvent, { draft, workflowId }: CompiledVersion): string | null {
  if (eventType === 'subscriber.deleted') return 'SUBSCRIBER_DELETED';
  return kind === 'UNSUBSCRIBED' && by !== workflowId && draft.settings.exitOnUnsubscribe ? 'UNSUBSCRIBED' : null;
}
