import type { Args, Filter, subscriberWorkflowRequests } from '#contracts';
import type { CompiledVersion } from '../compiled-version.js';
import { isType } from '../graph/graph.js';
import type { EventSpec } from '../graph/step-config.js';
import { dayOf } from '../wait-time.js';

type Asked = Args<(typeof subscriberWorkflowRequests)['calls']['list_past_events']>;
type Spec = Pick<EventSpec, 'tags' | 'fieldId' | 'campaignId' | 'eventType'> & { kind: string };

const typeOf = ({ kind, eventType }: Spec): string => (kind === 'EVENT' ? eventType! : kind);
const keysOf = ({ tags, fieldId, campaignId }: Spec): string[] | null => {
  const id = fieldId ?? campaignId;
  return tags ?? (id === undefined ? null : [id]);
};

/** What a version asks of the subscriber service to be simulated, and where its answers are found. */
export class SimulationPlan {
  readonly conditions: Filter[][] = [];
  readonly fieldIds: string[];
  /** Why a condition cannot be evaluated, by its place; set by the first answer. */
  failures: readonly (string | null)[] = [];
  readonly #places = new Map<string, number>();
  /** Filter lists of the version keep their identity, so that a lookup costs no serialization. */
  readonly #known = new Map<readonly Filter[], number>();

  constructor(
    readonly version: CompiledVersion,
    readonly range: { from: Date; to: Date },
  ) {
    for (const filters of filterListsOf(version)) this.#add(filters);
    const { steps } = version.draft.graph;
    const fields = steps.flatMap((step) => {
      if (isType(step, 'WAIT') || (isType(step, 'TRIGGER') && step.config.kind === 'DATE_FIELD'))
        return step.config.fieldId ?? [];
      return [];
    });
    this.fieldIds = [...new Set(fields)];
  }

  /** Place of the character that shows whether a subscriber meets the filters. */
  placeOf(filters: readonly Filter[]): number {
    return this.#known.get(filters)!;
  }

  /** What every page asks for, beside its place. */
  request(): Omit<Asked, 'after' | 'limit'> {
    const { version, range } = this;
    const events = version.triggers.map(({ config }) => config).filter(({ kind }) => !isWithoutEvent(kind));
    const watched = version.watches.flatMap(({ event }) => event ?? []);
    // Any event makes the engine test filters that runs wait for.
    const hearsAll = version.filterWatches.some(({ filters }) => filters !== undefined);
    const types = new Set([...events, ...watched].map(typeOf)).add('UNSUBSCRIBED');
    return {
      workflowId: version.workflowId,
      from: range.from.toISOString(),
      to: range.to.toISOString(),
      types: hearsAll ? null : [...types].sort(),
      starts: events.map((config) => ({ type: typeOf(config), keys: keysOf(config) })),
      dates: this.#dates(),
      conditions: this.conditions,
      fieldIds: this.fieldIds,
    };
  }

  /** Days of fields that start runs in the range, a day wider, since a day depends on the time zone. */
  #dates(): Asked['dates'] {
    const { timezone, triggers } = this.version;
    return triggers.flatMap(({ config: { kind, fieldId, offsetDays = 0 } }) => {
      if (kind !== 'DATE_FIELD') return [];
      const day = (now: Date, margin: number) => dayOf({ now, timezone }, margin - offsetDays);
      return { fieldId: fieldId!, from: day(this.range.from, -1), to: day(this.range.to, 1) };
    });
  }

  #add(filters: Filter[]): void {
    const text = JSON.stringify(filters);
    const place = this.#places.get(text) ?? this.conditions.push(filters) - 1;
    this.#places.set(text, place);
    this.#known.set(filters, place);
  }
}

const isWithoutEvent = (kind: string): boolean => kind === 'MANUAL' || kind === 'DATE_FIELD';

function filterListsOf({ draft, watches, exitFilters }: CompiledVersion): Filter[][] {
  const ofSteps = draft.graph.steps.flatMap((step): Filter[][] => {
    if (isType(step, 'CONDITION')) return [step.config.filters];
    if (isType(step, 'WAIT_UNTIL')) return step.config.filters ? [step.config.filters] : [];
    return isType(step, 'TRIGGER') && step.config.filters?.length ? [step.config.filters] : [];
  });
  const watched = watches.flatMap(({ filters, event }) =>
    filters ? [filters] : event?.filters?.length ? [event.filters] : [],
  );
  return [...ofSteps, ...watched, ...exitFilters.map(({ filters }) => filters)];
}
