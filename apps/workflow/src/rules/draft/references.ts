import type { Filter, Issue } from '#contracts';
import type { EventSpec } from '../graph/step-config.js';
import { isType } from '../graph/graph.js';
import { aboutStep } from '../graph/read-graph.js';
import type { Draft } from './draft.js';

/** A reference in a draft: its place, its words, and the function that writes the resolved id. */
export interface Reference<K extends ReferenceKind = ReferenceKind> {
  kind: K;
  path: Issue['path'];
  about: string;
  text: string;
  write(id: string): void;
  mayBeNew?: boolean;
}
export type ReferenceKind = 'tag' | 'field' | 'campaign' | 'workflow';

export interface FilterPlace {
  path: Issue['path'];
  about: string;
  filters: Filter[];
  write(filters: Filter[]): void;
}

interface Place {
  path: Issue['path'];
  about: string;
}

/** All references of a draft; `write` changes the draft itself. */
export class References {
  readonly named: Reference[] = [];
  readonly filters: FilterPlace[] = [];
  readonly zones: (Place & { text: string })[] = [];

  constructor(draft: Draft) {
    draft.graph.steps.forEach((step, place) => {
      const at = { path: ['steps', place, 'config'], about: aboutStep(step) };
      if (isType(step, 'TRIGGER')) this.#event(step.config as EventSpec, at);
      if (isType(step, 'CONDITION')) this.#filters(step.config, at);
      if (isType(step, 'WAIT_UNTIL') || isType(step, 'GOAL')) this.#either(step.config, at);
      if (isType(step, 'WAIT')) {
        if (step.config.fieldId !== undefined) this.#name('field', step.config, 'fieldId', at);
        if (step.config.timezone) this.zones.push({ ...below(at, 'timezone'), text: step.config.timezone });
      }
      if (isType(step, 'ACTION')) this.#action(step.config, at);
    });
    draft.settings.exitRules.forEach((rule, place) =>
      this.#either(rule, { path: ['settings', 'exitRules', place], about: `exit rule ${place + 1}` }),
    );
    draft.successGoals.forEach((goal, place) =>
      this.#either(goal, { path: ['successGoals', place], about: `goal "${goal.name}"` }),
    );
  }

  #either(config: { event?: EventSpec | undefined; filters?: Filter[] | undefined }, at: Place): void {
    if (config.event) this.#event(config.event, below(at, 'event'));
    this.#filters(config, at);
  }

  #event(event: EventSpec, at: Place): void {
    if (event.tags) this.#tags(event.tags, below(at, 'tags'), false);
    if (event.fieldId !== undefined) this.#name('field', event, 'fieldId', at);
    if (event.campaignId !== undefined) this.#name('campaign', event, 'campaignId', at);
    this.#filters(event, at);
  }

  #action(config: Extract<Draft['graph']['steps'][number], { type: 'ACTION' }>['config'], at: Place): void {
    if (config.kind === 'ADD_TAGS' || config.kind === 'REMOVE_TAGS')
      this.#tags(config.tags, below(at, 'tags'), config.kind === 'ADD_TAGS');
    if (config.kind === 'SET_FIELD') this.#name('field', config, 'field', at);
    if (config.kind === 'ADD_TO_WORKFLOW' || config.kind === 'REMOVE_FROM_WORKFLOW')
      this.#name('workflow', config, 'workflowId', at);
  }

  #tags(tags: string[], at: Place, mayBeNew: boolean): void {
    tags.forEach((text, place) =>
      this.named.push({
        kind: 'tag',
        ...below(at, place),
        text,
        mayBeNew,
        write: (id) => {
          tags[place] = id;
        },
      }),
    );
  }

  #name<K extends string>(kind: ReferenceKind, config: { [P in K]?: string | undefined }, key: K, at: Place): void {
    this.named.push({
      kind,
      ...below(at, key),
      text: config[key]!,
      write: (id) => {
        config[key] = id;
      },
    });
  }

  #filters(config: { filters?: Filter[] | undefined }, at: Place): void {
    if (!config.filters || config.filters.length === 0) return;
    this.filters.push({
      ...below(at, 'filters'),
      filters: config.filters,
      write: (filters) => {
        config.filters = filters;
      },
    });
  }
}

const below = ({ path, about }: Place, key: string | number): Place => ({ path: [...path, key], about });
