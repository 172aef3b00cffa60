import type { Filter, SenderFacts } from '#contracts';
import type { Draft } from './draft/draft.js';
import type { EventSpec } from './graph/step-config.js';
import { entryOf, isType, upstreamOf } from './graph/graph.js';
import type { Step, StepType } from './graph/graph.js';

export interface VersionEmail {
  campaignId: string;
  name: string;
  subject: string;
  template: unknown;
  sender: SenderFacts;
  replyTo: string | null;
  organizationName: string;
  /** Key by which delivery recognizes this email. */
  sendKey: string;
  references: string[];
}

/** A condition that open runs wait for, and its effect when it is met. */
export interface RunCondition {
  /** Unique in the version: `exit:0`, `goal:<id>`, `step:<id>`. */
  key: string;
  does: 'EXIT' | 'CONVERT' | 'JUMP' | 'MATCH';
  event?: EventSpec | undefined;
  filters?: Filter[] | undefined;
  /** JUMP and MATCH: the step; EXIT: the number of the rule. */
  target: string;
  /** JUMP and MATCH: applies to runs that wait at one of these steps. */
  at?: ReadonlySet<string>;
  withinDays?: number | undefined;
}

/** A published version with everything precomputed that runs need repeatedly. */
export class CompiledVersion {
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #ways = new Map<string, string>();
  readonly watches: readonly RunCondition[];
  /** Conditions by filters, which only the subscriber service can test. */
  readonly filterWatches: readonly RunCondition[];
  /**
   * `learnsLate`: some of them change without a timely event to this service. `sweeps`: some change without any event.
   */
  readonly learnsLate: boolean;
  readonly sweeps: boolean;
  readonly triggers: readonly Extract<Step, { type: 'TRIGGER' }>[];

  constructor(
    readonly workflowId: string,
    readonly version: number,
    readonly draft: Draft,
    readonly emails: Readonly<Record<string, VersionEmail>>,
  ) {
    const { graph } = draft;
    this.#steps = new Map(graph.steps.map((step) => [step.id, step]));
    for (const { source, target, branch = '' } of graph.edges) this.#ways.set(`${source}\n${branch}`, target);
    this.triggers = graph.steps.filter((step) => isType(step, 'TRIGGER'));
    this.watches = watchesOf(draft);
    this.filterWatches = this.watches.filter(({ filters, event }) => filters ?? event?.filters?.length);
    const unheard = this.filterWatches.filter(({ filters, event }) => changesUnheard(filters ?? event!.filters!));
    this.learnsLate = unheard.length > 0;
    this.sweeps = unheard.some(({ filters }) => filters !== undefined);
  }

  get stepIds(): string[] {
    return this.draft.graph.steps.map(({ id }) => id);
  }

  get timezone(): string {
    return this.draft.settings.timezone ?? 'UTC';
  }

  /** @throws Error for a step that is not in the version */
  step(id: string): Step {
    const step = this.#steps.get(id);
    if (!step) throw new Error(`version ${this.version} of ${this.workflowId} has no step ${id}`);
    return step;
  }

  has(id: string): boolean {
    return this.#steps.has(id);
  }

  is<T extends StepType>(id: string, type: T): boolean {
    return this.#steps.get(id)?.type === type;
  }

  /** Returns the step that follows by a branch; null where the path ends. */
  next(id: string, branch = ''): string | null {
    return this.#ways.get(`${id}\n${branch}`) ?? null;
  }

  /**
   * The first step of manual runs: the MANUAL trigger, else the only step without an incoming edge, else the first
   * trigger.
   */
  get entry(): string {
    const manual = this.triggers.find(({ config }) => config.kind === 'MANUAL') ?? this.triggers[0];
    return manual?.id ?? entryOf(this.draft.graph)!;
  }

  /** Exit rules by filters alone, which may already be met when a run begins, or between an event and its delivery. */
  get exitFilters(): { rule: number; filters: Filter[] }[] {
    return this.draft.settings.exitRules.flatMap(({ filters }, place) => (filters ? { rule: place + 1, filters } : []));
  }

  /**
   * Whether filters may already be met when a wait begins at a step; not a GOAL on a cycle, which would go round
   * without a wait.
   */
  looksAt(id: string): boolean {
    return this.filterWatches.some(
      ({ filters, at, target }) => filters !== undefined && at?.has(id) && (target === id || !at.has(target)),
    );
  }
}

function watchesOf({ graph, settings, successGoals }: Draft): RunCondition[] {
  const exits = settings.exitRules.map(({ event, filters }, place): RunCondition => ({
    key: `exit:${place}`,
    does: 'EXIT',
    event,
    filters,
    target: String(place + 1),
  }));
  const goals = successGoals.map(({ id, event, filters, withinDays }): RunCondition => ({
    key: `goal:${id}`,
    does: 'CONVERT',
    event,
    filters,
    target: id,
    withinDays,
  }));
  const jumps = graph.steps
    .filter((step) => isType(step, 'GOAL'))
    .map(({ id, config: { event, filters } }): RunCondition => ({
      key: `step:${id}`,
      does: 'JUMP',
      event,
      filters,
      target: id,
      at: upstreamOf(graph, id),
    }));
  const waits = graph.steps
    .filter((step) => isType(step, 'WAIT_UNTIL'))
    .map(({ id, config: { event, filters } }): RunCondition => ({
      key: `step:${id}`,
      does: 'MATCH',
      event,
      filters,
      target: id,
      at: new Set([id]),
    }));
  return [...goals, ...exits, ...jumps, ...waits];
}

/**
 * Whether such filters can become true without a timely event to this service: by time alone, by a change without an
 * event (names, segments), or by events that the subscriber service also has to receive.
 */
const changesUnheard = (filters: readonly Filter[]): boolean =>
  /"type":"(?!TAG"|FIELD"|GROUP")|IN_LAST|BEFORE|AFTER|BETWEEN/.test(JSON.stringify(filters));

/**
 * Entry of a run's met conditions that requests one more test: an event came from another service than the owner of
 * subscribers, which may receive it later.
 */
export const recheck = 'again';
