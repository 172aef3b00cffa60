import type { Filter } from '#contracts';
import { ToolError } from '#tool-call';
import { nameKey } from '../text/text.js';
import { conditionsMax } from './filter.js';
import type { ConditionScope, Target, TargetKind } from './filter.js';
import { leavesOf } from './read-filters.js';
import type { ReadLeaf, ReadNode } from './read-filters.js';

/** How a record is looked up among those that were found: by id, or by name whatever its case. */
export const targetSlot = (kind: TargetKind, by: 'id' | 'name', text: string): string =>
  `${kind}/${by}/${by === 'id' ? text : nameKey(text)}`;

/** The records found for a set of filters, and the filters of the segments among them. */
export interface FoundTargets {
  bySlot: ReadonlyMap<string, Target>;
  segmentNodes: ReadonlyMap<string, readonly ReadNode[]>;
}

export interface CompileOptions {
  /** Parameters of the statement so far; the first one is the organization. More are appended. */
  params: unknown[];
  now: Date;
  zone: string;
}

/** A condition over the subscriber row `s`. */
export interface Condition {
  text: string;
  /** What has to be joined for it; empty for most. */
  join: string;
}

/** The activity of the subscriber `s` as `a`; absent when nothing ever happened. */
export const activityJoin = `left join subscriber_activity a on a.organization_id = s.organization_id and a.subscriber_id = s.subscriber_id`;

/** Filters whose words and targets are all known: can be stored, and turned into SQL. */
export class FilterPlan {
  constructor(
    private readonly nodes: readonly ReadNode[],
    private readonly found: FoundTargets,
  ) {}

  /** Whether the condition depends on the organization's time zone. */
  get zoned(): boolean {
    return [this.nodes, ...this.found.segmentNodes.values()].some((nodes) =>
      leavesOf(nodes).some(({ operator }) => operator.zoned),
    );
  }

  /** The filters as they are stored: words in upper case, records by id. */
  normalised(): Filter[] {
    return this.nodes.map((node) => this.#normalise(node));
  }

  /** What the filters name themselves: `tag:tag_…`, `segment:seg_…`. */
  references(): string[] {
    const all = leavesOf(this.nodes).flatMap((leaf) =>
      targetsOf(leaf, this.found).map(({ kind, id }) => `${kind}:${id}`),
    );
    return [...new Set(all)].sort();
  }

  /**
   * Writes the condition that a subscriber row `s` meets; an empty list is met by everybody.
   * @throws ToolError SEGMENT_CYCLE, or FILTERS_INVALID when segments make it too long
   */
  condition(options: CompileOptions): Condition {
    const compiler = new Compiler(this.found, options);
    const text = compiler.all(this.nodes);
    return { text, join: compiler.usesActivity ? activityJoin : '' };
  }

  #normalise(node: ReadNode): Filter {
    if (node.kind === 'group') {
      return { type: 'GROUP', match: node.match, filters: node.nodes.map((one) => this.#normalise(one)) };
    }
    const { type, field, operator, params } = node;
    const ids = targetsOf(node, this.found).map(({ id }) => id);
    return {
      type: type.type,
      ...(!type.fieldParam && { field: field.field }),
      operator: operator.operator,
      ...(type.targets && { [type.targets.ids]: type.targets.many ? [...new Set(ids)] : ids[0] }),
      ...params,
    };
  }
}

/** The records a leaf names, in the order of the filter. All are known by then. */
function targetsOf({ type, ids, names }: ReadLeaf, { bySlot }: FoundTargets): Target[] {
  if (!type.targets) return [];
  const { kind } = type.targets;
  return [
    ...ids.map((id) => bySlot.get(targetSlot(kind, 'id', id))!),
    ...names.map((name) => bySlot.get(targetSlot(kind, 'name', name))!),
  ];
}

class Compiler implements ConditionScope {
  readonly organization = '$1';
  usesActivity = false;
  #conditions = 0;
  readonly #inside: Target[] = [];

  constructor(
    private readonly found: FoundTargets,
    private readonly options: CompileOptions,
  ) {}

  get now(): Date {
    return this.options.now;
  }

  get zone(): string {
    return this.options.zone;
  }

  bind(value: unknown, type: string): string {
    return `$${this.options.params.push(value)}::${type}`;
  }

  activity(): string {
    this.usesActivity = true;
    return 'a';
  }

  segment(target: Target): string {
    if (this.#inside.some(({ id }) => id === target.id)) {
      throw new ToolError('SEGMENT_CYCLE', { path: [...this.#inside, target].map(({ name }) => name).join(' > ') });
    }
    this.#inside.push(target);
    const text = this.all(this.found.segmentNodes.get(target.id)!);
    this.#inside.pop();
    return text;
  }

  all(nodes: readonly ReadNode[]): string {
    return nodes.length === 0 ? 'true' : `(${nodes.map((node) => this.#one(node)).join(' and ')})`;
  }

  #one(node: ReadNode): string {
    if (node.kind === 'group') {
      return `(${node.nodes.map((one) => this.#one(one)).join(node.match === 'ANY' ? ' or ' : ' and ')})`;
    }
    if (++this.#conditions > conditionsMax) {
      const summary = `With the segments they include, the filters come to more than ${conditionsMax} conditions.`;
      throw new ToolError('FILTERS_INVALID', { summary });
    }
    const targets = targetsOf(node, this.found);
    return node.operator.condition({ field: node.field.field, params: node.params, targets }, this);
  }
}
