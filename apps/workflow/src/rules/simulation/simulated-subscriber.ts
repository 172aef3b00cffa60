import type { Filter } from '#contracts';
import { decideEnrolment, ineligibility } from '../enrolment.js';
import type { SkipReason } from '../enrolment.js';
import type { Step } from '../graph/graph.js';
import { checkAfter, handleFilters, handleTriggerEvent, startsOf } from '../handle-event.js';
import type { Start } from '../handle-event.js';
import { isOpen } from '../run.js';
import type { Line, Run, Transition } from '../run.js';
import { expire, TransitionBuilder } from '../run-transition.js';
import {
  decideCondition,
  decideFieldWait,
  decideMail,
  decideWaitUntil,
  exitOf,
  firstCheckAt,
  newRun,
  sweepMs,
  windowOf,
} from '../step-decision.js';
import type { TriggerEvent } from '../trigger-event.js';
import { onFieldDay } from '../wait-time.js';
import { triggerEventsOf } from './past-subscriber.js';
import type { PastSubscriber } from './past-subscriber.js';
import type { SimulationPlan } from './simulation-plan.js';

/** Steps of one subscriber after which the simulation leaves the rest of the range out. */
export const transitionsMax = 10_000;
const hourMs = 3_600_000;

/** A run of a simulation; times in milliseconds since 1970. */
export interface SimulatedRun {
  run: Run;
  startedBy: string;
  /** When its timer expires; null: it has none. */
  nextAt: number | null;
  /** When the filters that it waits for are tested. */
  checkAt: number | null;
  /** The last test that met nothing: with constant facts, another one waits until the run has moved. */
  testedAt: number;
  met: string[];
  lines: Line[];
  reason: string | null;
}

export interface SimulationSink {
  count(key: string): void;
  ended(run: SimulatedRun): void;
}

type Occurrence = { at: number } & ({ event: TriggerEvent } | { start: Start; startedBy: string });

/**
 * Plays the events of one subscriber through a version, by the rules of the engine. Time is the events' and timers' own.
 * The facts of the subscriber are those of now, and steps change none of them, except that UNSUBSCRIBE ends the mail.
 */
export class SimulatedSubscriber {
  #open: SimulatedRun[] = [];
  readonly #starts: number[] = [];
  #enrolled: boolean;
  #transitions = 0;
  #runs = 0;
  #unsubscribedAt = Infinity;
  /** The last unsubscription of the history; before it, the subscriber was subscribed. */
  readonly #leftAt: number;
  /** Enrolments by ADD_TO_WORKFLOW steps into the same workflow, made after the step that asked. */
  #asked: Start[] = [];

  constructor(
    private readonly plan: SimulationPlan,
    private readonly person: PastSubscriber,
    private readonly sink: SimulationSink,
  ) {
    this.#enrolled = person.entered;
    const left = person.status === 'UNSUBSCRIBED' && person.events.findLast(([, type]) => type === 'UNSUBSCRIBED');
    this.#leftAt = left ? left[0] : -Infinity;
  }

  /** Simulates the whole range. @returns whether it ended before the range did, at the limit of steps */
  play(organizationId: string): boolean {
    for (const occurrence of this.#occurrences(organizationId)) {
      this.#advance(occurrence.at, false);
      if ('event' in occurrence) this.#hear(occurrence.event, occurrence.at);
      else this.#start([occurrence.start], occurrence.at, occurrence.startedBy);
      this.#advance(occurrence.at, true);
    }
    this.#advance(this.plan.range.to.getTime(), true);
    for (const open of this.#open) this.sink.ended(open);
    return this.#transitions > transitionsMax;
  }

  #occurrences(organizationId: string): Occurrence[] {
    const found: Occurrence[] = triggerEventsOf(organizationId, this.person).map((event) => ({
      at: event.at.getTime(),
      event,
    }));
    const { version, range } = this.plan;
    let dates = 0;
    for (const { id: stepId, config } of version.triggers) {
      if (config.kind !== 'DATE_FIELD') continue;
      const moved = { offsetDays: config.offsetDays ?? 0, timeOfDay: config.time ?? '00:00' };
      const at = onFieldDay(moved, version.timezone, this.#field(config.fieldId!));
      if (!at || at < range.from || at > range.to) continue;
      const filters = config.filters?.length ? config.filters : null;
      found.push({ at: at.getTime(), start: { stepId, filters, anyStatus: false }, startedBy: 'DATE_FIELD' });
      dates += 1;
    }
    return dates > 0 ? found.sort((a, b) => a.at - b.at) : found;
  }

  #hear(event: TriggerEvent, at: number): void {
    const { version } = this.plan;
    const now = event.at;
    for (const open of [...this.#open]) {
      const transition = handleTriggerEvent(open.run, version, { now, triggerEvent: event });
      if (transition) this.#apply(open, transition, at);
      if (!isOpen(open.run.state)) continue;
      const { met, isDue } = checkAfter(version, event);
      if (!isDue) continue;
      open.met.push(...met.filter((key) => !open.met.includes(key)));
      open.checkAt = at;
    }
    this.#start(startsOf(version, event), at, event.eventType);
  }

  /** Decides the starts of one event in their order, until one that had filters has enrolled. */
  #start(starts: readonly Start[], at: number, startedBy: string): void {
    for (const { stepId, filters, anyStatus } of starts) {
      if (filters && !this.#shows(filters)) continue;
      const objection = ineligibility({ status: this.#statusAt(at), suppressed: this.person.suppressed }, anyStatus);
      const skip = objection ?? this.#enrol(stepId, at, startedBy);
      if (skip !== null) this.sink.count(`skip:${skip}`);
      if (filters !== null && objection === null) return;
    }
  }

  #enrol(stepId: string, at: number, startedBy: string): SkipReason | null {
    const { version } = this.plan;
    const decision = decideEnrolment({
      status: 'ACTIVE',
      reentry: version.draft.settings.reentry,
      enrolledBefore: this.#enrolled,
      underWay: this.#open.length > 0,
      startsLastHour: this.#starts.filter((before) => before > at - hourMs).length,
      group: null,
    });
    if ('skip' in decision) return decision.skip;
    if (this.#runs === 0) this.sink.count('subscribers');
    this.#enrolled = true;
    this.#starts.push(at);
    this.sink.count('run:ENROLLED');
    const { subscriberId } = this.person;
    const startedAt = new Date(at);
    const ids = {
      organizationId: '',
      id: `${subscriberId} ${this.#runs++}`,
      workflowId: version.workflowId,
      version: version.version,
      subscriberId,
    };
    const run = newRun(ids, { stepId, firstStepOnly: decision.firstStepOnly, startedAt });
    const checkAt = firstCheckAt(version, startedAt)?.getTime() ?? null;
    const open: SimulatedRun = {
      run,
      startedBy,
      nextAt: null,
      checkAt,
      testedAt: at,
      met: [],
      lines: [],
      reason: null,
    };
    this.#open.push(open);
    this.#apply(open, new TransitionBuilder(run, version, startedAt).start(stepId).transition(), at);
    return null;
  }

  /** Lets timers expire and filters be tested up to an instant. @param isInclusive whether those of the instant too */
  #advance(until: number, isInclusive: boolean): void {
    while (this.#transitions <= transitionsMax) {
      let next: SimulatedRun | null = null;
      let at = Infinity;
      for (const open of this.#open) {
        const due = Math.min(open.nextAt ?? Infinity, open.checkAt ?? Infinity);
        if (due < at) [next, at] = [open, due];
      }
      if (!next || at > until || (at === until && !isInclusive)) return;
      this.#transitions += 1;
      if (next.nextAt === at) this.#expire(next, at);
      else this.#check(next, at);
    }
  }

  #expire(open: SimulatedRun, at: number): void {
    const transition = open.run.waiting && expire(open.run, this.plan.version, { now: new Date(at), by: 'TIME' });
    if (transition) this.#apply(open, transition, at);
    else this.#work(open, at);
  }

  #check(open: SimulatedRun, at: number): void {
    open.checkAt = null;
    open.testedAt = at;
    const shows = ({
      filters,
      event,
    }: {
      filters?: Filter[] | undefined;
      event?: { filters?: Filter[] | undefined } | undefined;
    }) => this.#shows(filters ?? event!.filters!);
    const transition = handleFilters(open.run, this.plan.version, { now: new Date(at), shows, met: open.met });
    open.met = [];
    if (transition) this.#apply(open, transition, at);
  }

  /** Records a transition and executes the steps that follow, until the run waits or has ended. */
  #apply(open: SimulatedRun, transition: Transition, at: number): void {
    for (let next: Transition | null = transition; next; next = this.#decideStep(open, at)) {
      this.#transitions += 1;
      this.#record(open, next, at);
      if (open.run.state !== 'ACTIVE' || this.#transitions > transitionsMax) break;
    }
    this.#startAsked(at);
  }

  #work(open: SimulatedRun, at: number): void {
    const transition = this.#decideStep(open, at);
    if (transition) this.#apply(open, transition, at);
  }

  #record(open: SimulatedRun, { to, lines, counts, visit, goals }: Transition, at: number): void {
    for (const key of counts) this.sink.count(key);
    for (const line of lines) {
      open.lines.push(line);
      const { reason } = line.data;
      if (typeof reason === 'string' && line.outcome !== 'EXITED')
        this.sink.count(`why:${line.stepId}:${line.outcome}:${reason}`);
      if (line.outcome === 'SENT') this.sink.count(`mail:${line.stepId}:sent`);
    }
    // The run belongs to the simulation alone, so it is changed in its place.
    const { run } = open;
    run.visit = visit;
    if (goals) run.goals = goals;
    if (!to) return;
    const { state, stepId, waiting, stepsWithoutWait, nextActionAt, look, reason } = to;
    run.state = state;
    run.stepId = stepId;
    run.waiting = waiting;
    run.stepsWithoutWait = stepsWithoutWait;
    run.arrival = visit;
    open.nextAt = nextActionAt?.getTime() ?? null;
    open.reason = reason;
    if (!isOpen(state)) {
      this.sink.count(`end:${state}:${reason ?? ''}`);
      this.#open = this.#open.filter((other) => other !== open);
      this.sink.ended(open);
    } else if (look) open.checkAt = at;
    else if (this.plan.version.sweeps && open.checkAt === null)
      open.checkAt = open.testedAt + Math.max(1, Math.ceil((at - open.testedAt) / sweepMs)) * sweepMs;
  }

  /** Decides the step that an ACTIVE run rests at. */
  #decideStep(open: SimulatedRun, at: number): Transition | null {
    const { run } = open;
    const { version } = this.plan;
    const now = new Date(at);
    const step = version.step(run.stepId);
    return this.#stepWalk(new TransitionBuilder(run, version, now), step, { open, at, now }).transition();
  }

  #stepWalk(
    walk: TransitionBuilder,
    step: Step,
    { open, at, now }: { open: SimulatedRun; at: number; now: Date },
  ): TransitionBuilder {
    const { version } = this.plan;
    switch (step.type) {
      case 'WAIT': {
        const value = this.#field(step.config.fieldId!);
        return decideFieldWait(walk, step.config, { now, timezone: version.timezone, value });
      }
      case 'WAIT_UNTIL':
        return this.#byFilters(walk, step.config.filters!, (isMet) =>
          decideWaitUntil(walk, step.config, { now, isMet }),
        );
      case 'CONDITION':
        return this.#byFilters(walk, step.config.filters, (isMet) => decideCondition(walk, isMet));
      case 'EMAIL': {
        const opens = windowOf(version, now);
        if (opens) return walk.wait('SEND_WINDOW', opens);
        const facts = { status: this.#statusAt(at), suppressed: this.person.suppressed, shows: this.#exits() };
        return decideMail(walk, version, { facts, sent: {} }).walk;
      }
      case 'ACTION': {
        const exit = exitOf(version, this.#exits());
        return exit ? walk.end(...exit) : this.#act(walk, step, { open, at });
      }
      default:
        throw new Error(`a simulated run rests at ${step.id}, a ${step.type}`);
    }
  }

  #act(
    walk: TransitionBuilder,
    { config }: Extract<Step, { type: 'ACTION' }>,
    { open, at }: { open: SimulatedRun; at: number },
  ): TransitionBuilder {
    if (config.kind === 'UNSUBSCRIBE') this.#unsubscribedAt = Math.min(this.#unsubscribedAt, at);
    if ('workflowId' in config && config.workflowId === this.plan.version.workflowId) {
      if (config.kind === 'ADD_TO_WORKFLOW')
        this.#asked.push({ stepId: config.stepId ?? this.plan.version.entry, filters: null, anyStatus: false });
      else this.#removeOthers(open, at);
    }
    return walk.leave('DONE');
  }

  #removeOthers(open: SimulatedRun, at: number): void {
    const by = this.plan.version.workflowId;
    for (const other of this.#open.filter((one) => one !== open)) {
      const walk = new TransitionBuilder(other.run, this.plan.version, new Date(at));
      this.#record(other, walk.end('CANCELED', 'REMOVED', { by }).transition(), at);
    }
  }

  #startAsked(at: number): void {
    const asked = this.#asked;
    this.#asked = [];
    for (const start of asked) this.#start([start], at, 'ADD_TO_WORKFLOW');
  }

  /** A step whose filters cannot be evaluated fails its runs, as in the engine. */
  #byFilters(
    walk: TransitionBuilder,
    filters: readonly Filter[],
    decide: (isMet: boolean) => TransitionBuilder,
  ): TransitionBuilder {
    const failure = this.plan.failures[this.plan.placeOf(filters)];
    return failure ? walk.end('FAILED', failure) : decide(this.#shows(filters));
  }

  /** Exit rules are tested in one request, so that none is met while one of them cannot be evaluated. */
  #exits(): boolean[] {
    const { exitFilters } = this.plan.version;
    if (exitFilters.some(({ filters }) => this.plan.failures[this.plan.placeOf(filters)])) return [];
    return exitFilters.map(({ filters }) => this.#shows(filters));
  }

  #shows(filters: readonly Filter[]): boolean {
    return this.person.shows[this.plan.placeOf(filters)] === '1';
  }

  #field(fieldId: string): string | null {
    return this.person.fields[this.plan.fieldIds.indexOf(fieldId)] ?? null;
  }

  #statusAt(at: number): string | null {
    if (at >= this.#unsubscribedAt) return 'UNSUBSCRIBED';
    return at < this.#leftAt ? 'SUBSCRIBED' : this.person.status;
  }
}
