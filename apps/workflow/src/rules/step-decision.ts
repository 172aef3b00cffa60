import type { CompiledVersion } from './compiled-version.js';
import type { Step } from './graph/graph.js';
import { timeoutOf } from './run-transition.js';
import type { TransitionBuilder } from './run-transition.js';
import type { Run } from './run.js';
import { waitOver, windowOpens } from './wait-time.js';

type Config<T extends Step['type']> = Extract<Step, { type: T }>['config'];

/** The facts about a subscriber that decide about an email step; `shows`: which exit rules by filters are met. */
export interface MailFacts {
  status: string | null;
  suppressed: string | null;
  shows: readonly boolean[];
}

/** Decides a WAIT for the date in a field. @param value the field's text; null when it is empty */
export function decideFieldWait(
  walk: TransitionBuilder,
  config: Config<'WAIT'>,
  { now, timezone, value }: { now: Date; timezone: string; value: string | null },
): TransitionBuilder {
  const until = waitOver(config, { now, timezone }, value);
  if (until === null) return walk.leave('DONE', { reason: 'NO_DATE', value });
  if (until.getTime() <= now.getTime()) return walk.leave('DONE', { reason: 'PAST', until: until.toISOString() });
  return walk.wait('WAIT', until);
}

/** Decides a WAIT_UNTIL by filters when a run reaches it. */
export function decideWaitUntil(
  walk: TransitionBuilder,
  config: Config<'WAIT_UNTIL'>,
  { now, isMet }: { now: Date; isMet: boolean },
): TransitionBuilder {
  if (isMet) return walk.leave('MATCHED', { by: 'FILTERS' }, 'MATCHED');
  return walk.wait('WAIT_UNTIL', timeoutOf(config, now));
}

export function decideCondition(walk: TransitionBuilder, isMet: boolean): TransitionBuilder {
  const branch = isMet ? 'TRUE' : 'FALSE';
  return walk.leave(branch, {}, branch);
}

/** Returns when the send window opens for an email; null when it may be sent now. */
export function windowOf(version: CompiledVersion, now: Date): Date | null {
  const { sendWindow } = version.draft.settings;
  return sendWindow ? windowOpens(sendWindow, { now, timezone: version.timezone }) : null;
}

/**
 * Decides an EMAIL step inside the send window: an exit rule ends the run, else a subscriber who may not be written to
 * is skipped.
 * @param sent what the history says about the message
 */
export function decideMail(
  walk: TransitionBuilder,
  version: CompiledVersion,
  { facts, sent }: { facts: MailFacts; sent: Record<string, unknown> },
): { walk: TransitionBuilder; isSent: boolean } {
  const exit = exitOf(version, facts.shows);
  if (exit) return { walk: walk.end(...exit), isSent: false };
  const why = facts.suppressed ?? (facts.status === 'SUBSCRIBED' ? null : facts.status);
  if (why !== null) return { walk: walk.leave('SKIPPED', { reason: why }), isSent: false };
  return { walk: walk.leave('SENT', sent), isSent: true };
}

/** The end of a run whose subscriber meets an exit rule by filters; null when no rule is met. */
export function exitOf(
  { exitFilters }: CompiledVersion,
  shows: readonly boolean[],
): Parameters<TransitionBuilder['end']> | null {
  const exit = exitFilters.find((_exit, place) => shows[place]);
  return exit ? ['CANCELED', 'EXIT_RULE', { by: 'FILTERS', rule: exit.rule }] : null;
}

/** The state of a run before its first transition. */
export const newRun = (
  ids: Pick<Run, 'organizationId' | 'id' | 'workflowId' | 'version' | 'subscriberId'>,
  { stepId, firstStepOnly, startedAt }: Pick<Run, 'stepId' | 'firstStepOnly' | 'startedAt'>,
): Run => ({
  organizationId: ids.organizationId,
  id: ids.id,
  workflowId: ids.workflowId,
  version: ids.version,
  subscriberId: ids.subscriberId,
  state: 'ACTIVE',
  stepId,
  visit: 0,
  arrival: 0,
  waiting: null,
  stepsWithoutWait: 0,
  attempts: 0,
  firstStepOnly,
  goals: [],
  met: [],
  startedAt,
  fence: '0',
});

/** Interval at which filters that become true by time alone are tested without an event, in milliseconds. */
export const sweepMs = 15 * 60_000;

/** When the filters that a new run waits for are first tested; null: after its first wait or event. */
export function firstCheckAt(version: CompiledVersion, startedAt: Date): Date | null {
  if (version.exitFilters.length > 0) return startedAt;
  return version.sweeps ? new Date(startedAt.getTime() + sweepMs) : null;
}
