import type { CompiledVersion } from './compiled-version.js';
import type { Line, Position, Run, RunState, Transition, Waiting } from './run.js';
import { splitBranch } from './split.js';
import { waitOver } from './wait-time.js';

/** Steps without a wait after which a run is taken to be in a cycle (API text, Workflows). */
export const stepsWithoutWaitMax = 1_000;

/**
 * Computes a run's next transition without any request: from one wait to the next, with every line of history and
 * count.
 */
export class TransitionBuilder {
  readonly #lines: Line[] = [];
  readonly #counts: string[] = [];
  #visit: number;
  #stepsWithoutWait: number;
  #end: { state: RunState; reason: string | null } | null = null;
  #rest: Pick<Position, 'state' | 'stepId' | 'waiting' | 'nextActionAt' | 'look'> | null = null;

  constructor(
    private readonly run: Run,
    private readonly version: CompiledVersion,
    private readonly now: Date,
  ) {
    this.#visit = run.visit;
    this.#stepsWithoutWait = run.stepsWithoutWait;
  }

  start(stepId: string): this {
    this.#enter(stepId);
    return this;
  }

  /** Leaves the current step. @param outcome its result; a branch's name where it has branches */
  leave(outcome: string, data: Record<string, unknown> = {}, branch = ''): this {
    this.#line(this.run.stepId, outcome, data);
    this.#counts.push(`out:${this.run.stepId}:${branch || outcome}`);
    return this.#follow(this.run.stepId, branch);
  }

  /** Leaves the current wait for another step, without an edge. */
  jump(stepId: string, data: Record<string, unknown>): this {
    this.#line(this.run.stepId, 'JUMPED', { ...data, to: stepId });
    this.#counts.push(`out:${this.run.stepId}:JUMPED`);
    if (this.#endsAfterFirst(this.run.stepId)) return this;
    this.#enter(stepId);
    return this;
  }

  wait(kind: Waiting['kind'], until: Date | null, data: Record<string, unknown> = {}): this {
    if (until === null || until.getTime() > this.now.getTime()) this.#stepsWithoutWait = 0;
    this.#line(this.run.stepId, 'WAITING', { ...data, until: until?.toISOString() ?? null });
    this.#restAt(this.run.stepId, kind, until);
    return this;
  }

  end(state: 'CANCELED' | 'FAILED', reason: string, data: Record<string, unknown> = {}): this {
    this.#line(this.run.stepId, state, { ...data, reason });
    this.#counts.push(`out:${this.run.stepId}:${state}`);
    this.#end = { state, reason };
    return this;
  }

  convert(goalId: string): this {
    this.#line(this.run.stepId, 'GOAL_MET', { goal: goalId });
    this.#counts.push(`goal:${goalId}`);
    return this;
  }

  transition(): Transition {
    const { run } = this;
    const to = this.#end ? this.#ended(this.#end) : this.#rested();
    const counts = this.#end ? [...this.#counts, `run:${this.#end.state}`] : this.#counts;
    return { run, to, visit: this.#visit, lines: this.#lines, counts };
  }

  // Written out, since spreading costs most of a simulated step.
  #ended({ state, reason }: { state: RunState; reason: string | null }): Position {
    return {
      state,
      stepId: this.#lines.at(-1)?.stepId ?? this.run.stepId,
      visit: this.#visit,
      waiting: null,
      nextActionAt: null,
      stepsWithoutWait: this.#stepsWithoutWait,
      attempts: 0,
      reason,
      look: false,
    };
  }

  #rested(): Position | null {
    const rest = this.#rest;
    return (
      rest && {
        state: rest.state,
        stepId: rest.stepId,
        visit: this.#visit,
        waiting: rest.waiting,
        nextActionAt: rest.nextActionAt,
        stepsWithoutWait: this.#stepsWithoutWait,
        attempts: 0,
        reason: null,
        look: rest.look,
      }
    );
  }

  #follow(stepId: string, branch: string): this {
    if (this.#endsAfterFirst(stepId)) return this;
    const next = this.version.next(stepId, branch);
    if (next === null) this.#complete(null);
    else this.#enter(next);
    return this;
  }

  #endsAfterFirst(stepId: string): boolean {
    if (!this.run.firstStepOnly || this.version.is(stepId, 'TRIGGER')) return false;
    this.#complete('RUN_FIRST_STEP');
    return true;
  }

  #complete(reason: string | null): void {
    this.#end = { state: 'COMPLETED', reason };
  }

  /** Advances until a step waits, needs another service, or ends the run. */
  #enter(first: string): void {
    for (let id: string | null = first; id !== null;) {
      this.#counts.push(`in:${id}`);
      this.#stepsWithoutWait += 1;
      if (this.#stepsWithoutWait > stepsWithoutWaitMax) {
        this.#line(id, 'FAILED', { reason: 'LOOP' });
        this.#counts.push(`out:${id}:FAILED`);
        this.#end = { state: 'FAILED', reason: `LOOP: ${stepsWithoutWaitMax} steps without a wait` };
        return;
      }
      id = this.#pass(id);
    }
  }

  /** @returns the next step, or null when the run waits here or has ended */
  #pass(id: string): string | null {
    const step = this.version.step(id);
    switch (step.type) {
      case 'TRIGGER':
        return this.#through(id, 'STARTED');
      case 'GOAL':
        return this.#through(id, 'PASSED');
      case 'SPLIT': {
        const { workflowId, subscriberId } = this.run;
        const branch = splitBranch(step.config.branches, { workflowId, stepId: id, subscriberId });
        return this.#through(id, branch, branch);
      }
      case 'MOVE_TO_STEP':
        this.#line(id, 'MOVED', { to: step.config.stepId });
        this.#counts.push(`out:${id}:MOVED`);
        if (this.#endsAfterFirst(id)) return null;
        return step.config.stepId;
      case 'EXIT':
        this.#line(id, 'EXITED', { reason: step.config.reason ?? null });
        this.#counts.push(`out:${id}:EXITED`);
        this.#complete(step.config.reason ?? null);
        return null;
      case 'WAIT': {
        if (step.config.fieldId !== undefined) return this.#work(id);
        const over = waitOver(step.config, { now: this.now, timezone: this.version.timezone }, null)!;
        if (over.getTime() <= this.now.getTime()) return this.#through(id, 'DONE');
        this.#waitAt(id, over);
        return null;
      }
      case 'WAIT_UNTIL':
        if (step.config.filters !== undefined) return this.#work(id);
        this.#waitAt(id, timeoutOf(step.config, this.now), 'WAIT_UNTIL');
        return null;
      case 'CONDITION':
      case 'ACTION':
      case 'EMAIL':
        return this.#work(id);
    }
  }

  #through(id: string, outcome: string, branch = ''): string | null {
    this.#line(id, outcome, {});
    this.#counts.push(`out:${id}:${outcome}`);
    if (this.#endsAfterFirst(id)) return null;
    const next = this.version.next(id, branch);
    if (next === null) this.#complete(null);
    return next;
  }

  #work(id: string): null {
    this.#rest = { state: 'ACTIVE', stepId: id, waiting: null, nextActionAt: this.now, look: false };
    return null;
  }

  #waitAt(id: string, until: Date | null, kind: 'WAIT' | 'WAIT_UNTIL' = 'WAIT'): void {
    if (until === null || until.getTime() > this.now.getTime()) this.#stepsWithoutWait = 0;
    this.#line(id, 'WAITING', { until: until?.toISOString() ?? null });
    this.#restAt(id, kind, until);
  }

  #restAt(stepId: string, kind: Waiting['kind'], nextActionAt: Date | null): void {
    const waiting = { kind, since: this.now.toISOString() };
    this.#rest = { state: 'WAITING', stepId, waiting, nextActionAt, look: this.version.looksAt(stepId) };
  }

  #line(stepId: string, outcome: string, data: Record<string, unknown>): void {
    this.#lines.push({ visit: this.#visit, stepId, at: this.now, outcome, data });
    this.#visit += 1;
  }
}

/** Returns when a WAIT_UNTIL times out; null: never. */
export const timeoutOf = ({ timeout }: { timeout?: number | undefined }, now: Date): Date | null =>
  timeout === undefined ? null : new Date(now.getTime() + timeout * 1000);

/** Returns the transition of an expired timer: a WAIT ends, a WAIT_UNTIL times out, an EMAIL's window is open. */
export function expire(run: Run, version: CompiledVersion, { now, by }: { now: Date; by: string }): Transition | null {
  if (run.waiting?.kind === 'SEND_WINDOW') return null;
  const walk = new TransitionBuilder(run, version, now);
  if (run.waiting?.kind === 'WAIT_UNTIL') return walk.leave('TIMEOUT', { by }, 'TIMEOUT').transition();
  return walk.leave('DONE', { by }).transition();
}
