import { TransitionBuilder } from './run-transition.js';
import type { CompiledVersion, RunCondition } from './compiled-version.js';
import type { Run, Transition } from './run.js';

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
