import { ToolError } from '#tool-call';
import { conditionsMax } from './filter.js';
import type { ConditionScope, Target } from './filter.js';
import { leavesOf } from './read-filters.js';
import type { ReadLeaf, ReadNode } from './read-filters.js';

export interface CompileOptions {
  /** Parameters of the statement so far; the first one is the organization. */
  params: unknown[];
  now: Date;
  zone: string;
  /** Parameter that all who are asked about come before, in the order of ids: what an index has after it is not read. */
  before?: string | undefined;
}

export interface Condition {
  text: string;
  /** The join that it needs; empty for most. */
  join: string;
}

/** The activity of the subscriber `s` as `a`; absent when nothing ever happened. */
export const activityJoin = `left join subscriber_activity a on a.organization_id = s.organization_id and a.subscriber_id = s.subscriber_id`;

/** The same for few subscribers at a time: looks up each, independent of the planner's estimates. */
export const activityLookup = `left join lateral (select * from subscriber_activity l
  where l.organization_id = s.organization_id and l.subscriber_id = s.subscriber_id offset 0) a on true`;

export interface CompileTargets {
  targetsOf(leaf: ReadLeaf): readonly Target[];
  segmentNodes: ReadonlyMap<string, readonly ReadNode[]>;
}

/**
 * The filters of each segment are in it once, however segments include each other. Required segments are at the top,
 * where the planner joins them; segments used several times become a shared column.
 */
export class FilterCompiler implements ConditionScope {
  readonly organization = '$1';
  #usesActivity = false;
  #conditions = 0;
  readonly #required = new Set<string>();
  readonly #uses = new Map<string, number>();
  /** Conditions of shared segments; each may use those before it. */
  readonly #shared = new Map<string, string>();
  #sharedUses = 0;

  constructor(
    private readonly targets: CompileTargets,
    private readonly options: CompileOptions,
  ) {}

  get now(): Date {
    return this.options.now;
  }

  get zone(): string {
    return this.options.zone;
  }

  /** @throws ToolError SEGMENT_CYCLE, or FILTERS_INVALID when there are too many conditions */
  condition(nodes: readonly ReadNode[]): Condition {
    this.#refuseCycle(nodes, []);
    this.#require(nodes);
    for (const list of [nodes, ...this.targets.segmentNodes.values()]) {
      for (const { id } of this.#segmentsOf(list)) this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
    }
    const required = [...this.#required].flatMap((id) => this.targets.segmentNodes.get(id)!);
    const [plain, sharing]: [string[], string[]] = [[], []];
    for (const node of [...required, ...nodes]) {
      const before = this.#sharedUses;
      const text = this.#one(node);
      if (text !== 'true') (this.#sharedUses > before ? sharing : plain).push(text);
    }
    if (sharing.length > 0) plain.push(this.#withShared(sharing));
    return { text: anded(plain), join: this.#usesActivity ? activityJoin : '' };
  }

  isTheirs(alias: string): string {
    const { before } = this.options;
    return `${alias}.organization_id = ${this.organization} and ${alias}.subscriber_id = s.subscriber_id${before ? ` and ${alias}.subscriber_id < ${before}` : ''}`;
  }

  bind(value: unknown, type: string): string {
    return `$${this.options.params.push(value)}::${type}`;
  }

  activity(): string {
    this.#usesActivity = true;
    return 'a';
  }

  segment({ id }: Target): string {
    if (this.#required.has(id)) return 'true';
    if (this.#uses.get(id) === 1) return this.#all(this.targets.segmentNodes.get(id)!);
    if (!this.#shared.has(id)) this.#shared.set(id, this.#all(this.targets.segmentNodes.get(id)!));
    this.#sharedUses++;
    return `g${[...this.#shared.keys()].indexOf(id)}.holds`;
  }

  /** `offset 0` keeps the planner from writing a shared condition out wherever it is used. */
  #withShared(texts: readonly string[]): string {
    const columns = [...this.#shared.values()].map((text, at) => `lateral (select ${text} as holds offset 0) g${at}`);
    return `(select ${anded(texts)} from ${columns.join(' cross join ')})`;
  }

  #all(nodes: readonly ReadNode[]): string {
    return anded(nodes.map((node) => this.#one(node)));
  }

  #one(node: ReadNode): string {
    if (node.kind === 'group') {
      if (node.match === 'ALL') return this.#all(node.nodes);
      return `(${node.nodes.map((one) => this.#one(one)).join(' or ')})`;
    }
    if (++this.#conditions > conditionsMax) {
      const summary = `With the segments they include, the filters come to more than ${conditionsMax} conditions.`;
      throw new ToolError('FILTERS_INVALID', { summary });
    }
    const targets = this.targets.targetsOf(node);
    return node.operator.condition({ field: node.field.field, params: node.params, targets }, this);
  }

  #require(nodes: readonly ReadNode[]): void {
    for (const node of nodes) {
      if (node.kind === 'group') {
        if (node.match === 'ALL' || node.nodes.length === 1) this.#require(node.nodes);
      } else if (node.operator.includesTarget) {
        for (const { id } of this.#segmentsOf([node])) {
          if (this.#required.has(id)) continue;
          this.#required.add(id);
          this.#require(this.targets.segmentNodes.get(id)!);
        }
      }
    }
  }

  #segmentsOf(nodes: readonly ReadNode[]): Target[] {
    const segments = leavesOf(nodes).filter(({ type }) => type.targets?.kind === 'segment');
    return segments.flatMap((leaf) => [...this.targets.targetsOf(leaf)]);
  }

  /** Saving refuses cycles; this check keeps a defect there from an endless statement here. */
  #refuseCycle(nodes: readonly ReadNode[], inside: readonly Target[], clear = new Set<string>()): void {
    for (const target of this.#segmentsOf(nodes)) {
      if (inside.some(({ id }) => id === target.id)) {
        throw new ToolError('SEGMENT_CYCLE', { path: [...inside, target].map(({ name }) => name).join(' > ') });
      }
      if (clear.has(target.id)) continue;
      this.#refuseCycle(this.targets.segmentNodes.get(target.id)!, [...inside, target], clear);
      clear.add(target.id);
    }
  }
}

function anded(texts: readonly string[]): string {
  const conditions = texts.filter((text) => text !== 'true');
  return conditions.length === 0 ? 'true' : `(${conditions.join(' and ')})`;
}
